import { type Rounds, type RoundSettings, runRounds, type Side, type Sides } from '../comparison/run-rounds.ts';
import { quantile } from '../comparison/statistics.ts';

/** Asks a question of this process itself; false where the answer is wrong. */
export type Ask = () => Promise<boolean> | boolean;

/** Runs rounds of such questions: a quarter as long as those over HTTP, since there are many more in each second. */
export function runQuestionRounds(sides: Sides, { rounds, seconds }: RoundSettings): Promise<Rounds> {
  return runRounds(sides, { rounds, seconds: seconds / 4 }, 1);
}

/** How many questions are timed together: the clock takes longer than a walk through a few maps. */
const perTiming = { memory: 500, database: 1 } as const;

/** Asks one question after the other. What is measured is this process: it is both the server and the load. */
export function askInTurn(ask: Ask, kind: keyof typeof perTiming): Side {
  return async (seconds) => {
    const count = perTiming[kind];
    const startedAt = performance.now();
    const cpuBefore = process.cpuUsage();
    const latenciesMs: number[] = [];
    let wrong = 0;
    for (let at = startedAt; at < startedAt + seconds * 1000;) {
      for (let asked = 0; asked < count; asked += 1) if (!(await ask())) wrong += 1;
      const now = performance.now();
      latenciesMs.push((now - at) / count);
      at = now;
    }
    const elapsed = (performance.now() - startedAt) / 1000;
    const cpu = process.cpuUsage(cpuBefore);
    const cpuSeconds = (cpu.user + cpu.system) / 1e6;
    const ascending = latenciesMs.toSorted((a, b) => a - b);
    return {
      perSecond: (latenciesMs.length * count) / elapsed,
      p50Ms: quantile(ascending, 0.5),
      p99Ms: quantile(ascending, 0.99),
      cpuMicroseconds: (cpuSeconds * 1e6) / (latenciesMs.length * count),
      serverBusy: cpuSeconds / elapsed,
      loadBusy: cpuSeconds / elapsed,
      failures: wrong === 0 ? {} : { 'wrong answer': wrong },
    };
  };
}
