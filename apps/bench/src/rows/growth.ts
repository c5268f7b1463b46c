import { judgeThroughput, type Outcome } from '../comparison/outcome.ts';
import { runRounds, type Side } from '../comparison/run-rounds.ts';
import { fillDatabase } from '../growth/fill-database.ts';
import type { DatabaseKind } from '../servers/create-databases.ts';
import type { RunningServer } from '../servers/start-server.ts';
import { withPair } from '../servers/with-pair.ts';
import { listNotesOf } from './notes.ts';
import { refreshSessionsOf } from './refresh.ts';
import { rowName } from './row-name.ts';
import type { Row } from './row.ts';
import { listSessionsOf } from './session-list.ts';

const rowCounts = { floor: 1000, ours: 1_000_000 } as const;

/** 1.5 times as slow is the most. */
const atLeast = 1 / 1.5;

/** What must not slow down. */
const works: readonly (readonly [string, (server: RunningServer) => Promise<Side>])[] = [
  ['refresh', refreshSessionsOf],
  ['session-list', listSessionsOf],
  ['notes', listNotesOf],
];

/** The demo with a million users, sessions, notes and limits, against the same demo with a thousand: here that is the floor. */
export function growthRow(database: DatabaseKind): Row {
  const name = rowName('growth', database);
  return {
    name,
    run: (settings) => {
      const scripts = { floor: settings.demo, ours: settings.demo };
      return withPair({ ...scripts, algorithm: 'ES256', database, cores: settings.cores }, async (floor, ours) => {
        await fillDatabase(floor.databaseUrl, rowCounts.floor);
        await fillDatabase(ours.databaseUrl, rowCounts.ours);
        const outcomes: Outcome[] = [];
        for (const [work, sideOf] of works) {
          const sides = { floor: await sideOf(floor), ours: await sideOf(ours) };
          outcomes.push(judgeThroughput({ row: `${name}: ${work}`, atLeast }, await runRounds(sides, settings)));
        }
        return outcomes;
      });
    },
  };
}
