import { judgeThroughput } from '../comparison/outcome.ts';
import { runRounds, type Side } from '../comparison/run-rounds.ts';
import { fillDatabase } from '../growth/fill-database.ts';
import type { RunningServer } from '../servers/start-server.ts';
import { withPair } from '../servers/with-pair.ts';
import type { Row } from './row.ts';

const rowCounts = { floor: 1000, ours: 1_000_000 } as const;

/** 1.5 times as slow is the most. */
const atLeast = 1 / 1.5;

/** The demo with a million users, sessions and limits, against the same demo with a thousand: here that is the floor. */
export function growthRow(work: string, sideOf: (server: RunningServer) => Promise<Side>): Row {
  const row = `growth-${work}`;
  return {
    name: row,
    run: (settings) => {
      const scripts = { floor: settings.demo, ours: settings.demo };
      const start = { ...scripts, algorithm: 'ES256', cores: settings.cores?.server ?? null } as const;
      return withPair(start, async (floor, ours) => {
        const sides = { floor: await sideOf(floor), ours: await sideOf(ours) };
        fillDatabase(floor.databaseFile, rowCounts.floor);
        fillDatabase(ours.databaseFile, rowCounts.ours);
        return [judgeThroughput({ row, atLeast }, await runRounds(sides, settings))];
      });
    },
  };
}
