import type { Stores } from '@x/store';
import Database from 'better-sqlite3';
import pg from 'pg';
import { giveOrganizations, openFilledTree, openTree, taskAndOwner } from './task-tree.ts';
import { type Operation, runSerially, runInProcessRounds } from '../comparison/in-process.ts';
import { evaluateThroughput, type Outcome } from '../comparison/outcome.ts';
import { runRounds, type Side, takeSample } from '../comparison/rounds.ts';
import { signUpUsers } from '../load/accounts.ts';
import { exchangeOnce } from '../load/connection.ts';
import { runClosedLoop } from '../load/load.ts';
import { getSessionRequest, readRecordsRequest } from '../load/requests.ts';
import { createDatabases, createTemporaryFolder, type DatabaseKind } from '../servers/create-databases.ts';
import { ourScript } from '../servers/scripts.ts';
import { serverVariables } from '../servers/server-variables.ts';
import { type RunningServer, startServer } from '../servers/start-server.ts';
import { type Row, rowName, type RowSettings } from './row.ts';

const taskCounts = { floor: 1000, ours: 1_000_000 } as const;

/** 1.5 times as slow is the most. */
const growthAtLeast = 1 / 1.5;

/** On SQLite the join is a call within this process, and the context of a request takes half as long as it. */
const byHandAtLeast = { sqlite: null, postgres: 0.7 } as const;

/**
 * `can` on a task, by a role two levels above it, each time in a context of its own, among a million tasks: against the
 * bare join by hand, and against the same among a thousand. Then, over HTTP, the list of the tasks that a user holds
 * such a role on, a hundred, among a million and among a thousand.
 */
export function canInDatabaseRow(database: DatabaseKind): Row {
  const name = rowName('can', database);
  return {
    name,
    async run(settings) {
      using folder = createTemporaryFolder();
      await using urls = await createDatabases(database, { folder: folder.path, cores: settings.cores });
      await using few = await openFilledTree(urls.floor, taskCounts.floor);
      await using many = await openFilledTree(urls.ours, taskCounts.ours);
      await using byHand = openByHand(urls.ours);
      const ours = canOnStores(many.stores, taskCounts.ours);
      const comparisons: readonly (readonly [string, number | null, Operation, Operation])[] = [
        ['bare join', byHandAtLeast[database], byHand.operation, ours],
        ['growth', growthAtLeast, canOnStores(few.stores, taskCounts.floor), ours],
      ];
      const outcomes: Outcome[] = [];
      for (const [work, atLeast, floor, asked] of comparisons) {
        const sides = { floor: runSerially(floor, 'database'), ours: runSerially(asked, 'database') };
        outcomes.push(
          evaluateThroughput({ row: `${name}: ${work}`, atLeast }, await runInProcessRounds(sides, settings)),
        );
      }
      const place = { folder: folder.path, cores: settings.cores };
      await using fewLists = await startTaskLists(urls.floor, place);
      await using manyLists = await startTaskLists(urls.ours, place);
      const lists = {
        floor: await listTasksOf(fewLists, { databaseUrl: urls.floor, organizations: taskCounts.floor / 100 }),
        ours: await listTasksOf(manyLists, { databaseUrl: urls.ours, organizations: taskCounts.ours / 100 }),
      };
      const row = `${name}: growth of a list`;
      return [...outcomes, evaluateThroughput({ row, atLeast: growthAtLeast }, await runRounds(lists, settings))];
    },
  };
}

/** The questions jump over the tasks, so that neighbours on a page of the database are not asked about in a row. */
function eachTask(tasks: number): () => ReturnType<typeof taskAndOwner> {
  let task = 0;
  return () => taskAndOwner((task = (task + 7919) % tasks), tasks);
}

function canOnStores(stores: Stores, tasks: number): Operation {
  const next = eachTask(tasks);
  return () => {
    const { userId, taskId } = next();
    return openTree(stores, userId).can('task:update', { type: 'task', id: taskId });
  };
}

const bareJoin = `
  SELECT held.role FROM bare_closure AS closure
  JOIN access_role_assignments AS held
    ON held.resource_type = closure.ancestor_type AND held.resource_id = closure.ancestor_id
  WHERE closure.descendant_type = $1 AND closure.descendant_id = $2 AND held.holder = 'user:' || $3`;

function openByHand(url: string): AsyncDisposable & { readonly operation: Operation } {
  const next = eachTask(taskCounts.ours);
  if (url.startsWith('file:')) {
    const database = new Database(url.slice('file:'.length), { readonly: true });
    // Without the plus SQLite would prepare the statement anew for each question, which takes three times as long.
    const join = database.prepare<[string, string, string], { role: string }>(bareJoin.replaceAll(/\$\d/g, '+?'));
    const operation = (): boolean => {
      const { userId, taskId } = next();
      return join.all('task', taskId, userId).some(({ role }) => role === 'owner');
    };
    return { operation, [Symbol.asyncDispose]: async () => void database.close() };
  }
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  const operation = async (): Promise<boolean> => {
    const { userId, taskId } = next();
    const { rows } = await pool.query<{ role: string }>({
      name: 'join',
      text: bareJoin,
      values: ['task', taskId, userId],
    });
    return rows.some(({ role }) => role === 'owner');
  };
  return { operation, [Symbol.asyncDispose]: () => pool.end() };
}

/** Starts a server of the tasks of a filled tree. */
function startTaskLists(
  databaseUrl: string,
  { folder, cores }: { readonly folder: string; readonly cores: RowSettings['cores'] },
): Promise<RunningServer> {
  const variables = serverVariables({ algorithm: 'ES256', databaseUrl });
  return startServer({ script: ourScript('task-lists'), variables, folder, cores: cores && cores.server });
}

const connections = 32;

/**
 * Signs up as many users as there are connections, each of whom owns an organization; returns the load of listing their
 * tasks.
 */
async function listTasksOf(
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
