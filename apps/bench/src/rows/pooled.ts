import { findPgBouncers } from '@x/test-support/postgres';
import { evaluateThroughput, type Outcome } from '../comparison/outcome.ts';
import { runRounds } from '../comparison/rounds.ts';
import { withPair } from '../servers/with-pair.ts';
import { compareNotes } from './notes.ts';
import { refreshSessionsOf } from './refresh.ts';
import type { Row } from './row.ts';

/** The part of its rate over a direct connection that the demo has to keep: more where statements keep their names. */
const [withNames, without] = [0.8, 0.5];

/** Refreshes and notes of the demo behind PgBouncer in transaction mode, against the demo on a direct connection. */
export const pooledRow: Row = {
  name: 'pooled',
  async run(settings) {
    const outcomes: Outcome[] = [];
    const poolers = await findPgBouncers();
    if (poolers.length === 0) throw new Error('PgBouncer is not installed: apt-get install pgbouncer.');
    for (const pooler of poolers) {
      const row = `pooled ${pooler.version}`;
      const atLeast = pooler.keepsNames ? withNames : without;
      const scripts = { floor: settings.demo, ours: settings.demo };
      const start = { ...scripts, algorithm: 'ES256', database: 'postgres', cores: settings.cores, pooler } as const;
      const found = await withPair(start, async (floor, ours) => {
        const refreshes = { floor: await refreshSessionsOf(floor), ours: await refreshSessionsOf(ours) };
        const refresh = evaluateThroughput({ row: `${row}: refresh`, atLeast }, await runRounds(refreshes, settings));
        return [refresh, ...(await compareNotes({ row, atLeast: () => atLeast, floor, ours }, settings))];
      });
      outcomes.push(...found);
    }
    return outcomes;
  },
};
