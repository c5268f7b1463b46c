import { quantile, type Rounds, type RoundSettings, runRounds, type Sample, type Side, type Sides } from './rounds.ts';

/** Asks a question of this process itself; false where the answer is wrong. */
export type Operation = () => Promise<boolean> | boolean;

/** Runs rounds of such questions: a quarter as long as those over HTTP, since there are many more in each second. */
export function runInProcessRounds(sides: Sides, { rounds, seconds }: RoundSettings): Promise<Rounds> {
  return runRounds(sides, { rounds, seconds: seconds / 4 }, 1);
}

/** How many questions are timed together: the clock takes longer than a walk through a few maps. */
const perTiming = { memory: 500, database: 1 } as const;

/** Asks one question after the other. The measured process is this one: it is both the server and the load. */
export function runSerially(operation: Operation, kind: keyof typeof perTiming): Side {
  return async (seconds) => {
    const count = perTiming[kind];
    const finish = startSample();
    const endsAt = performance.now() + seconds * 1000;
    const latenciesMs: number[] = [];
    let wrong = 0;
    for (let at = performance.now(); at < endsAt;) {
      for (let asked = 0; asked < count; asked += 1) if (!(await operation())) wrong += 1;
      const now = performance.now();
      latenciesMs.push((now - at) / count);
      at = now;
    }
    return finish({ latenciesMs, count: latenciesMs.length * count, wrong });
  };
}

/** Asks so many questions at once, and each time that one is answered another one. */
export function runConcurrently(operation: Operation, atOnce: number): Side {
  return async (seconds) => {
    const finish = startSample();
    const endsAt = performance.now() + seconds * 1000;
    const latenciesMs: number[] = [];
    let wrong = 0;
    const repeat = async (): Promise<void> => {
      for (let at = performance.now(); at < endsAt;) {
        if (!(await operation())) wrong += 1;
        const now = performance.now();
        latenciesMs.push(now - at);
        at = now;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, repeat));
    return finish({ latenciesMs, count: latenciesMs.length, wrong });
  };
}

/** The questions of a round. */
interface Measured {
  readonly latenciesMs: readonly number[];
  readonly count: number;
  readonly wrong: number;
}

/** Starts to watch what this process spends. */
function startSample(): (asked: Measured) => Sample {
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  return ({ latenciesMs, count, wrong }) => {
    const elapsed = (performance.now() - startedAt) / 1000;
    const cpu = process.cpuUsage(cpuBefore);
    const cpuSeconds = (cpu.user + cpu.system) / 1e6;
    const ascending = latenciesMs.toSorted((a, b) => a - b);
    return {
      perSecond: count / elapsed,
      p50Ms: quantile(ascending, 0.5),
      p99Ms: quantile(ascending, 0.99),
      cpuMicroseconds: (cpuSeconds * 1e6) / count,
      serverBusy: cpuSeconds / elapsed,
      loadBusy: cpuSeconds / elapsed,
      failures: wrong === 0 ? {} : { 'wrong answer': wrong },
    };
  };
}
