import { openSessions } from '../load/accounts.ts';
import { listSessionsRequest } from '../load/requests.ts';
import { evaluateThroughput } from '../comparison/outcome.ts';
import { runRounds, type Side, takeSample } from '../comparison/rounds.ts';
import { runClosedLoop } from '../load/load.ts';
import { floorScript } from '../servers/scripts.ts';
import type { RunningServer } from '../servers/start-server.ts';
import { withPair } from '../servers/with-pair.ts';
import type { Row } from './row.ts';

/** `GET /api/auth/sessions` of a user with five sessions, against the same by hand. */
export const sessionListRow: Row = {
  name: 'session-list',
  run: (settings) => {
    const scripts = { floor: floorScript('by-hand/main'), ours: settings.demo };
    const start = { ...scripts, algorithm: 'RS256', database: 'sqlite', cores: settings.cores } as const;
    return withPair(start, async (floor, ours) => {
      const sides = { floor: await listSessionsOf(floor), ours: await listSessionsOf(ours) };
      return [evaluateThroughput({ row: 'session-list', atLeast: null }, await runRounds(sides, settings))];
    });
  },
};

/** Opens five sessions of one user; returns the load of listing them, the connections taking turns at the sessions. */
export async function listSessionsOf({ pid, port }: RunningServer): Promise<Side> {
  const requests = (await openSessions(port, 5)).map(listSessionsRequest);
  const request = (connection: number): string => requests[connection % requests.length] ?? '';
  return (seconds) => takeSample(pid, () => runClosedLoop({ port, connections: 32, seconds, request }));
}
