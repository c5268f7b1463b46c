import { createClientAddresses, signUpUsers } from '../load/accounts.ts';
import { readSessionCookies, refreshRequest, type SessionCookies } from '../load/requests.ts';
import { evaluateThroughput } from '../comparison/outcome.ts';
import { type Rounds, runRounds, type Side, takeSample } from '../comparison/rounds.ts';
import { runClosedLoop } from '../load/load.ts';
import type { ServerResponse } from '../load/connection.ts';
import type { DatabaseKind } from '../servers/create-databases.ts';
import { floorScript, ourScript } from '../servers/scripts.ts';
import type { Algorithm } from '../servers/server-variables.ts';
import type { RunningServer } from '../servers/start-server.ts';
import { type PairStart, withPair } from '../servers/with-pair.ts';
import { type Row, rowName, type RowSettings } from './row.ts';

/** `POST /api/auth/refresh`, every connection following a session of its own, against one handler by hand. */
export function refreshRow(algorithm: Algorithm, database: DatabaseKind): Row {
  const row = rowName(`refresh-${algorithm.toLowerCase()}`, database);
  const scripts = { floor: floorScript('by-hand/main'), ours: ourScript('auth-alone') };
  return {
    name: row,
    run: async (settings) => [
      evaluateThroughput({ row, atLeast: 0.75 }, await refreshBoth({ ...scripts, algorithm, database }, settings)),
    ],
  };
}

/** The same of the demo, whose JWTs say what their user may do, against the handler that knows nothing of that. */
export function refreshWithAccessRow(database: DatabaseKind): Row {
  const row = rowName('refresh-access', database);
  return {
    name: row,
    run: async (settings) => {
      const start = { floor: floorScript('by-hand/main'), ours: settings.demo, algorithm: 'ES256', database } as const;
      return [evaluateThroughput({ row, atLeast: null }, await refreshBoth(start, settings))];
    },
  };
}

function refreshBoth(start: Omit<PairStart, 'cores'>, settings: RowSettings): Promise<Rounds> {
  return withPair({ ...start, cores: settings.cores }, async (floor, ours) =>
    runRounds({ floor: await refreshSessionsOf(floor), ours: await refreshSessionsOf(ours) }, settings),
  );
}

const connections = 32;

/** The limit of refreshes of one address in a minute. */
const refreshesPerAddress = 10;

/** Opens a session for each connection; returns the load of refreshing them, each request with the newest cookies. */
export async function refreshSessionsOf({ pid, port }: RunningServer): Promise<Side> {
  const sessions: SessionCookies[] = [...(await signUpUsers(port, connections))];
  const address = createClientAddresses(refreshesPerAddress);
  const newest = (connection: number): SessionCookies => {
    const cookies = sessions[connection];
    if (cookies === undefined) throw new RangeError(`There is no session for connection ${connection}.`);
    return cookies;
  };
  const load = {
    port,
    connections,
    request: (connection: number) => refreshRequest(newest(connection), address()),
    onResponse: (connection: number, answer: ServerResponse) => {
      sessions[connection] = readSessionCookies(answer);
    },
  };
  return (seconds) => takeSample(pid, () => runClosedLoop({ ...load, seconds }));
}
