import { openSessions } from '../load/accounts.ts';
import { getSessionRequest } from '../load/requests.ts';
import { evaluateThroughput } from '../comparison/outcome.ts';
import { runRounds, type Side, takeSample } from '../comparison/rounds.ts';
import { runClosedLoop } from '../load/load.ts';
import { exchangeOnce } from '../load/connection.ts';
import { floorScript } from '../servers/scripts.ts';
import type { RunningServer } from '../servers/start-server.ts';
import { withPair } from '../servers/with-pair.ts';
import type { Row } from './row.ts';

/** `GET /api/auth/session`, signed in, against a Hono server that answers a constant. */
export const sessionRow: Row = {
  name: 'session',
  run: (settings) => {
    const scripts = { floor: floorScript('hello'), ours: settings.demo };
    const start = { ...scripts, algorithm: 'RS256', database: 'sqlite', cores: settings.cores } as const;
    return withPair(start, async (floor, ours) => {
      const request = await signedInRequest(ours);
      const sides = { floor: loadWith(request, floor), ours: loadWith(request, ours) };
      return [evaluateThroughput({ row: 'session', atLeast: 0.7 }, await runRounds(sides, settings))];
    });
  },
};

/** The floor gets the very same bytes. */
function loadWith(request: string, { pid, port }: RunningServer): Side {
  return (seconds) => takeSample(pid, () => runClosedLoop({ port, connections: 32, seconds, request: () => request }));
}

async function signedInRequest({ port }: RunningServer): Promise<string> {
  for (const cookies of await openSessions(port, 1)) {
    const request = getSessionRequest(cookies);
    const { body } = await exchangeOnce(port, request);
    if (body.startsWith('{"session":{')) return request;
  }
  throw new Error('The session of a new user does not count as signed in.');
}
