import { openSessions } from '../accounts/open-sessions.ts';
import { getSessionRequest } from '../accounts/requests.ts';
import { judgeThroughput } from '../comparison/outcome.ts';
import { runRounds, type Side } from '../comparison/run-rounds.ts';
import { takeSample } from '../comparison/sample.ts';
import { floorScript } from '../floors/floor-script.ts';
import { runClosedLoop } from '../load/closed-loop.ts';
import { exchangeOnce } from '../load/exchange-once.ts';
import { createTemporaryFolder } from '../machine/temporary-folder.ts';
import { serverVariables } from '../servers/server-variables.ts';
import { type RunningServer, startServer } from '../servers/start-server.ts';
import type { Row } from './row.ts';

/** `GET /api/auth/session`, signed in, against a Hono server that answers a constant. */
export const sessionRow: Row = {
  name: 'session',
  async run(settings) {
    using folder = createTemporaryFolder();
    const variables = serverVariables({ algorithm: 'RS256', databaseFile: `${folder.path}/ours.db` });
    const start = { variables, folder: folder.path, cores: settings.cores?.server ?? null };
    await using floor = await startServer({ ...start, script: floorScript('hello') });
    await using ours = await startServer({ ...start, script: settings.demo });
    const request = await signedInRequest(ours);
    const load =
      ({ pid, port }: RunningServer): Side =>
      (seconds) =>
        takeSample(pid, () => runClosedLoop({ port, connections: 32, seconds, request: () => request }));
    return [
      judgeThroughput(
        { row: 'session', atLeast: 0.7 },
        await runRounds({ floor: load(floor), ours: load(ours) }, settings),
      ),
    ];
  },
};

async function signedInRequest({ port }: RunningServer): Promise<string> {
  for (const cookies of await openSessions(port, 1)) {
    const request = getSessionRequest(cookies);
    const { body } = await exchangeOnce(port, request);
    if (body.startsWith('{"session":{')) return request;
  }
  throw new Error('The session of a new user does not count as signed in.');
}
