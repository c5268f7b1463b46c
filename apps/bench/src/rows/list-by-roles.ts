import { giveOrganizations } from '../access/give-organizations.ts';
import { signUpUsers } from '../accounts/open-sessions.ts';
import { getSessionRequest } from '../accounts/requests.ts';
import type { Side } from '../comparison/run-rounds.ts';
import { takeSample } from '../comparison/sample.ts';
import { runClosedLoop } from '../load/closed-loop.ts';
import { exchangeOnce } from '../load/exchange-once.ts';
import { ourScript } from '../ours/our-script.ts';
import { readRecordsRequest } from '../records/requests.ts';
import { serverVariables } from '../servers/server-variables.ts';
import { type RunningServer, startServer } from '../servers/start-server.ts';
import type { RowSettings } from './row.ts';

/** Starts a server of the tasks of a filled tree. */
export function startTaskLists(
  databaseUrl: string,
  { folder, cores }: { readonly folder: string; readonly cores: RowSettings['cores'] },
): Promise<RunningServer> {
  const variables = serverVariables({ algorithm: 'ES256', databaseUrl });
  return startServer({ script: ourScript('task-lists'), variables, folder, cores: cores && cores.server });
}

const connections = 32;

/** Signs up as many users as there are connections, each of whom owns an organization; returns the load of listing their tasks. */
export async function listTasksOf(
  { pid, port }: RunningServer,
  tree: { readonly databaseUrl: string; readonly organizations: number },
): Promise<Side> {
  const users = await signUpUsers(port, connections);
  const bodies = await Promise.all(users.map(async (user) => (await exchangeOnce(port, getSessionRequest(user))).body));
  const ids = bodies.map((body) => (JSON.parse(body) as { session: { user: { id: string } } }).session.user.id);
  await giveOrganizations(tree.databaseUrl, ids, tree.organizations);
  const requests = users.map((user) => readRecordsRequest(user, '/api/tasks'));
  const { body } = await exchangeOnce(port, requests[0] ?? '');
  if ((JSON.parse(body) as { items: unknown[] }).items.length !== 20)
    throw new Error(`This is no page of tasks: ${body}`);
  const request = (connection: number): string => requests[connection] ?? '';
  return (seconds) => takeSample(pid, () => runClosedLoop({ port, connections, seconds, request }));
}
