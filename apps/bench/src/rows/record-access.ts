import { signUpUsers } from '../load/accounts.ts';
import { readRecordsRequest, type SessionCookies, writeRecordRequest } from '../load/requests.ts';
import { evaluateThroughput } from '../comparison/outcome.ts';
import { runRounds, type Side, takeSample } from '../comparison/rounds.ts';
import { runClosedLoop } from '../load/load.ts';
import { exchangeOnce } from '../load/connection.ts';
import type { DatabaseKind } from '../servers/create-databases.ts';
import { ourScript } from '../servers/scripts.ts';
import type { RunningServer } from '../servers/start-server.ts';
import { withServer } from '../servers/with-pair.ts';
import { type Row, rowName } from './row.ts';

/**
 * Projects of 32 users, each with 25 of their own, listed with three entitlements each, against the list without them.
 */
export function recordAccessRow(database: DatabaseKind): Row {
  const row = rowName('record-access', database);
  return {
    name: row,
    run: (settings) => {
      const start = { script: ourScript('resources'), algorithm: 'ES256', database, cores: settings.cores } as const;
      return withServer(start, async (server) => {
        const users = await createUsers(server.port);
        const sides = { floor: listingOf(server, users, plain), ours: listingOf(server, users, withAccess) };
        return [evaluateThroughput({ row, atLeast: 0.5 }, await runRounds(sides, settings))];
      });
    },
  };
}

const plain = '/api/projects';
const withAccess = `${plain}?access=project:read,project:update,project:delete`;

const connections = 32;
const projectsEach = 25;

async function createUsers(port: number): Promise<readonly SessionCookies[]> {
  const users = await signUpUsers(port, connections);
  for (const cookies of users) {
    const organizationId = await create(port, cookies, { path: '/api/organizations', values: { title: 'Bakery' } });
    const values = { organizationId, title: 'Groceries', body: 'Tea, bread, apples.' };
    for (let made = 0; made < projectsEach; made += 1) await create(port, cookies, { path: plain, values });
  }
  return users;
}

async function create(
  port: number,
  cookies: SessionCookies,
  record: { readonly path: string; readonly values: object },
): Promise<string> {
  const { body } = await exchangeOnce(port, writeRecordRequest(cookies, { method: 'POST', ...record }));
  return (JSON.parse(body) as { readonly id: string }).id;
}

function listingOf({ pid, port }: RunningServer, users: readonly SessionCookies[], path: string): Side {
  const requests = users.map((cookies) => readRecordsRequest(cookies, path));
  const request = (connection: number): string => requests[connection] ?? '';
  return (seconds) => takeSample(pid, () => runClosedLoop({ port, connections, seconds, request }));
}
