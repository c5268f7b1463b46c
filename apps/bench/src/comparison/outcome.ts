import { quantile, type Rounds, type Sample, summarize, type Summary } from './rounds.ts';

/** The requirement for a figure. */
export type Budget =
  | { readonly kind: 'ratio'; readonly atLeast: number }
  | { readonly kind: 'milliseconds'; readonly below: number }
  | { readonly kind: 'megabytes'; readonly below: number };

/** Void: an answer failed, so that the figures say nothing. Open: nothing is asked. */
type Result = 'ok' | 'missed' | 'open' | 'void';

/** One line of the table. */
export interface Outcome {
  readonly row: string;
  readonly unit: 'per second' | 'milliseconds' | 'megabytes';
  readonly floor: Summary | null;
  readonly ours: Summary | null;
  /** The median of ours over that of the floor. */
  readonly ratio: number | null;
  /** The median of the CPU microseconds per request; null where unknown. */
  readonly cpu: { readonly floor: number | null; readonly ours: number | null };
  readonly budget: Budget | null;
  readonly result: Result;
  readonly failures: Readonly<Record<string, number>>;
  readonly samples: Rounds | null;
}

/** Evaluates two sides by how many requests a second they answered. */
export function evaluateThroughput(
  { row, atLeast }: { readonly row: string; readonly atLeast: number | null },
  samples: Rounds,
): Outcome {
  const floor = summarize(samples.floor.map(({ perSecond }) => perSecond));
  const ours = summarize(samples.ours.map(({ perSecond }) => perSecond));
  const ratio = ours.median / floor.median;
  const failures = addUp([...samples.warmUp, ...samples.floor, ...samples.ours]);
  return {
    row,
    unit: 'per second',
    floor,
    ours,
    ratio,
    cpu: { floor: medianCpu(samples.floor), ours: medianCpu(samples.ours) },
    budget: atLeast === null ? null : { kind: 'ratio', atLeast },
    result: toResult(failures, atLeast === null ? null : ratio >= atLeast),
    failures,
    samples,
  };
}

/** Evaluates the slowest hundredth of the answers of some rounds, each in ascending order. */
export function evaluateLatency(
  { row, below }: { readonly row: string; readonly below: number },
  rounds: readonly { readonly latenciesMs: readonly number[]; readonly failures: Sample['failures'] }[],
): Outcome {
  const failures = addUp(rounds);
  const ours = summarize(rounds.map(({ latenciesMs }) => quantile(latenciesMs, 0.99)));
  return {
    row,
    unit: 'milliseconds',
    floor: null,
    ours,
    ratio: null,
    cpu: { floor: null, ours: null },
    budget: { kind: 'milliseconds', below },
    result: toResult(failures, ours.median < below),
    failures,
    samples: null,
  };
}

/** Evaluates what each question costs of the CPU, in milliseconds. */
export function evaluateCpu(
  { row, below }: { readonly row: string; readonly below: number },
  samples: readonly Sample[],
): Outcome {
  const failures = addUp(samples);
  const ours = summarize(samples.flatMap(({ cpuMicroseconds }) => (cpuMicroseconds ?? NaN) / 1000));
  return {
    row,
    unit: 'milliseconds',
    floor: null,
    ours,
    ratio: null,
    cpu: { floor: null, ours: medianCpu(samples) },
    budget: { kind: 'milliseconds', below },
    result: toResult(failures, ours.median < below),
    failures,
    samples: null,
  };
}

/** The memory of two processes at the same point of a run, in bytes, and the failures until then. */
export interface MemorySample {
  readonly floor: number;
  readonly ours: number;
  readonly failures: Sample['failures'];
}

/** Evaluates how much memory ours has, in megabytes of 2^20 bytes. */
export function evaluateMemory(
  { row, below }: { readonly row: string; readonly below: number | null },
  { floor, ours, failures }: MemorySample,
): Outcome {
  const [floorMegabytes, megabytes] = [floor / 2 ** 20, ours / 2 ** 20];
  return {
    row,
    unit: 'megabytes',
    floor: summarize([floorMegabytes]),
    ours: summarize([megabytes]),
    ratio: megabytes / floorMegabytes,
    cpu: { floor: null, ours: null },
    budget: below === null ? null : { kind: 'megabytes', below },
    result: toResult(failures, below === null ? null : megabytes < below),
    failures,
    samples: null,
  };
}

/** The outcome of a row that broke off. */
export function brokenOutcome(row: string, error: unknown): Outcome {
  return {
    row,
    unit: 'per second',
    floor: null,
    ours: null,
    ratio: null,
    cpu: { floor: null, ours: null },
    budget: null,
    result: 'void',
    failures: { [error instanceof Error ? error.message : String(error)]: 1 },
    samples: null,
  };
}

function toResult(failures: Sample['failures'], isWithin: boolean | null): Result {
  if (Object.keys(failures).length > 0) return 'void';
  if (isWithin === null) return 'open';
  return isWithin ? 'ok' : 'missed';
}

function addUp(samples: readonly Pick<Sample, 'failures'>[]): Sample['failures'] {
  const sum: Record<string, number> = {};
  for (const { failures } of samples) {
    for (const [kind, count] of Object.entries(failures)) sum[kind] = (sum[kind] ?? 0) + count;
  }
  return sum;
}

function medianCpu(samples: readonly Sample[]): number | null {
  const known = samples.flatMap(({ cpuMicroseconds }) => cpuMicroseconds ?? []);
  return known.length === 0 ? null : summarize(known).median;
}
