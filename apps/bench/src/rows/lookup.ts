import type { Stores } from '@x/store';
import Database from 'better-sqlite3';
import pg from 'pg';
import { type Operation, runInProcessRounds, runSerially } from '../comparison/in-process.ts';
import { evaluateThroughput, type Outcome } from '../comparison/outcome.ts';
import { createDatabases, createTemporaryFolder, type DatabaseKind } from '../servers/create-databases.ts';
import { type Row, rowName } from './row.ts';
import { openFilledTree, openTree } from './task-tree.ts';

const taskCounts = { floor: 1000, ours: 1_000_000 } as const;

/** 1.5 times as slow is the most. */
const growthAtLeast = 1 / 1.5;

const limit = 10;

/**
 * A page of the tasks of a user who may change all of them, and a page of the users who may change a task: a hundredth
 * as many users as there are tasks. Among a million tasks against among a thousand, and the tasks against their bare
 * ids by hand.
 */
export function lookupRow(database: DatabaseKind): Row {
  const name = rowName('lookup', database);
  return {
    name,
    async run(settings) {
      using folder = createTemporaryFolder();
      await using urls = await createDatabases(database, { folder: folder.path, cores: settings.cores });
      await using few = await openFilledTree(urls.floor, taskCounts.floor);
      await using many = await openFilledTree(urls.ours, taskCounts.ours);
      await runStatements(urls.floor, toTop(taskCounts.floor));
      await runStatements(urls.ours, toTop(taskCounts.ours));
      await using byHand = openByHand(urls.ours);
      const comparisons: readonly (readonly [string, number | null, Operation, Operation])[] = [
        ['growth', growthAtLeast, lookUpTasks(few.stores), lookUpTasks(many.stores)],
        ['growth of who', growthAtLeast, lookUpUsers(few.stores), lookUpUsers(many.stores)],
        ['bare ids', null, byHand.operation, lookUpTasks(many.stores)],
      ];
      const outcomes: Outcome[] = [];
      for (const [work, atLeast, floor, ours] of comparisons) {
        const sides = { floor: runSerially(floor, 'database'), ours: runSerially(ours, 'database') };
        const rounds = await runInProcessRounds(sides, settings);
        outcomes.push(evaluateThroughput({ row: `${name}: ${work}`, atLeast }, rounds));
      }
      return outcomes;
    },
  };
}

/** Jumps over the first 900 tasks, which there are in any case, so that no page is asked for twice in a row. */
function eachTask(): () => string {
  let at = 0;
  return () => `task-${(at = (at + 79) % 900)}`;
}

function lookUpTasks(stores: Stores): Operation {
  const next = eachTask();
  return async () => {
    const { items } = await openTree(stores, 'chief').lookup('chief', 'task:update', {
      type: 'task',
      limit,
      after: next(),
    });
    return items.length === limit && items.every(({ way }) => way[0]?.role === 'lead');
  };
}

function lookUpUsers(stores: Stores): Operation {
  const next = eachTask();
  return async () => {
    const { items } = await openTree(stores, 'chief').who('task:update', { type: 'task', id: next() }, { limit });
    return items.length === limit && items.every(({ way }) => way[0]?.role === 'lead');
  };
}

const byHand = `
  SELECT closure.descendant_id AS id FROM access_role_assignments AS held
  JOIN access_closure AS closure
    ON closure.ancestor_type = held.resource_type AND closure.ancestor_id = held.resource_id
  WHERE held.holder = 'user:' || $1 AND closure.descendant_type = 'task' AND closure.descendant_id > $2
  ORDER BY closure.descendant_id LIMIT ${limit}`;

function openByHand(url: string): AsyncDisposable & { readonly operation: Operation } {
  const next = eachTask();
  if (url.startsWith('file:')) {
    const database = new Database(url.slice('file:'.length), { readonly: true });
    const ids = database.prepare<[string, string], { id: string }>(byHand.replaceAll(/\$\d/g, '?'));
    const operation = (): boolean => ids.all('chief', next()).length === limit;
    return { operation, [Symbol.asyncDispose]: async () => void database.close() };
  }
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  const operation = async (): Promise<boolean> => {
    const { rows } = await pool.query({ name: 'ids', text: byHand, values: ['chief', next()] });
    return rows.length === limit;
  };
  return { operation, [Symbol.asyncDispose]: () => pool.end() };
}

/**
 * Puts a whole tree below one division, and makes it led by the chief and by a hundredth as many users as there are
 * tasks.
 */
function toTop(tasks: number): readonly string[] {
  return [
    `INSERT INTO access_closure
      SELECT descendant_type, descendant_id, 'division', 'all', ancestor_type, ancestor_id, depth + 1
      FROM access_closure WHERE ancestor_type = 'organization'`,
    `INSERT INTO access_edges
      SELECT DISTINCT 'organization', parent_id, 'division', 'all' FROM access_edges WHERE parent_type = 'organization'`,
    `INSERT INTO access_closure
      SELECT child_type, child_id, parent_type, parent_id, child_type, child_id, 1
      FROM access_edges WHERE parent_type = 'division'`,
    `INSERT INTO access_role_assignments VALUES ('user:chief', 'division', 'all', 'lead', NULL, 0)`,
    `INSERT INTO access_role_assignments
      SELECT 'user:lead-' || substr(holder, 6), 'division', 'all', 'lead', NULL, 0
      FROM access_role_assignments WHERE resource_type = 'organization' LIMIT ${tasks / 100}`,
  ];
}

async function runStatements(url: string, statements: readonly string[]): Promise<void> {
  if (url.startsWith('file:')) {
    const database = new Database(url.slice('file:'.length));
    database.pragma('synchronous = OFF');
    for (const statement of statements) database.exec(statement);
    database.pragma('wal_checkpoint(TRUNCATE)');
    database.close();
    return;
  }
  const client = new pg.Client(url);
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.query('VACUUM ANALYZE');
  await client.query('CHECKPOINT');
  await client.end();
}
