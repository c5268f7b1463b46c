import type { Stores } from '@x/store';
import { createPostgresStores } from '@x/store-postgres';
import { createSqliteStores } from '@x/store-sqlite';
import Database from 'better-sqlite3';
import pg from 'pg';
import { type Ask, askInTurn, runQuestionRounds } from '../access/ask-in-turn.ts';
import { askAboutTask, fillTree } from '../access/fill-tree.ts';
import { taskTables } from '../access/task-lists.ts';
import { openTree } from '../access/tree.ts';
import { judgeThroughput, type Outcome } from '../comparison/outcome.ts';
import { createTemporaryFolder } from '../machine/temporary-folder.ts';
import { createDatabases, type DatabaseKind } from '../servers/create-databases.ts';
import { runRounds } from '../comparison/run-rounds.ts';
import { listTasksOf, startTaskLists } from './list-by-roles.ts';
import { rowName } from './row-name.ts';
import type { Row } from './row.ts';

const taskCounts = { floor: 1000, ours: 1_000_000 } as const;

/** 1.5 times as slow is the most. */
const growthAtLeast = 1 / 1.5;

/** On SQLite the join is a call within this process, and the context of a request takes half as long as it. */
const byHandAtLeast = { sqlite: null, postgres: 0.7 } as const;

/**
 * `can` on a task, by a role two levels above it, each time in a context of its own, among a million tasks: against the
 * bare join by hand, and against the same among a thousand. Then, over HTTP, the list of the tasks that somebody holds such
 * a role on, a hundred, among a million and among a thousand.
 */
export function canInDatabaseRow(database: DatabaseKind): Row {
  const name = rowName('can', database);
  return {
    name,
    async run(settings) {
      using folder = createTemporaryFolder();
      await using urls = await createDatabases(database, { folder: folder.path, cores: settings.cores });
      await using few = await openFilled(urls.floor, taskCounts.floor);
      await using many = await openFilled(urls.ours, taskCounts.ours);
      await using byHand = openByHand(urls.ours);
      const ours = askStores(many.stores, taskCounts.ours);
      const comparisons: readonly (readonly [string, number | null, Ask, Ask])[] = [
        ['bare join', byHandAtLeast[database], byHand.ask, ours],
        ['growth', growthAtLeast, askStores(few.stores, taskCounts.floor), ours],
      ];
      const outcomes: Outcome[] = [];
      for (const [work, atLeast, floor, asked] of comparisons) {
        const sides = { floor: askInTurn(floor, 'database'), ours: askInTurn(asked, 'database') };
        outcomes.push(judgeThroughput({ row: `${name}: ${work}`, atLeast }, await runQuestionRounds(sides, settings)));
      }
      const place = { folder: folder.path, cores: settings.cores };
      await using fewLists = await startTaskLists(urls.floor, place);
      await using manyLists = await startTaskLists(urls.ours, place);
      const lists = {
        floor: await listTasksOf(fewLists, { databaseUrl: urls.floor, organizations: taskCounts.floor / 100 }),
        ours: await listTasksOf(manyLists, { databaseUrl: urls.ours, organizations: taskCounts.ours / 100 }),
      };
      const row = `${name}: growth of a list`;
      return [...outcomes, judgeThroughput({ row, atLeast: growthAtLeast }, await runRounds(lists, settings))];
    },
  };
}

async function openFilled(url: string, tasks: number): Promise<AsyncDisposable & { readonly stores: Stores }> {
  const stores = openStores(url);
  await stores.migrate();
  await fillTree(url, tasks);
  return { stores, [Symbol.asyncDispose]: () => stores.close() };
}

function openStores(url: string): Stores {
  const clock = { now: () => new Date() };
  return url.startsWith('file:')
    ? createSqliteStores({ path: url.slice('file:'.length), clock, entities: taskTables })
    : createPostgresStores({ url, clock, entities: taskTables });
}

/** The questions jump over the tasks, so that neighbours on a page of the database are not asked about in a row. */
function eachTask(tasks: number): () => ReturnType<typeof askAboutTask> {
  let task = 0;
  return () => askAboutTask((task = (task + 7919) % tasks), tasks);
}

function askStores(stores: Stores, tasks: number): Ask {
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
  WHERE closure.descendant_type = $1 AND closure.descendant_id = $2 AND held.user_id = $3`;

function openByHand(url: string): AsyncDisposable & { readonly ask: Ask } {
  const next = eachTask(taskCounts.ours);
  if (url.startsWith('file:')) {
    const database = new Database(url.slice('file:'.length), { readonly: true });
    // Without the plus SQLite would prepare the statement anew for each question, which takes three times as long.
    const join = database.prepare<[string, string, string], { role: string }>(bareJoin.replaceAll(/\$\d/g, '+?'));
    const ask = (): boolean => {
      const { userId, taskId } = next();
      return join.all('task', taskId, userId).some(({ role }) => role === 'owner');
    };
    return { ask, [Symbol.asyncDispose]: async () => void database.close() };
  }
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  const ask = async (): Promise<boolean> => {
    const { userId, taskId } = next();
    const { rows } = await pool.query<{ role: string }>({
      name: 'join',
      text: bareJoin,
      values: ['task', taskId, userId],
    });
    return rows.some(({ role }) => role === 'owner');
  };
  return { ask, [Symbol.asyncDispose]: () => pool.end() };
}
