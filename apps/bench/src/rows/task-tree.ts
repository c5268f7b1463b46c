import { type AccessContext, type AccessDefinition, createAccessContext, defineAccess, rules } from '@x/access';
import { defineEntity, defineModel, type Entity, field, toEntityTables } from '@x/entity';
import type { EntityTable, Stores } from '@x/store';
import { createPostgresStores } from '@x/store-postgres';
import { createSqliteStores } from '@x/store-sqlite';
import Database from 'better-sqlite3';
import pg from 'pg';

const model = {
  entities: {
    company: { roles: ['owner'] },
    division: { roles: ['lead'], inherits: { 'company:owner': 'lead' } },
    organization: { roles: ['owner'], inherits: { 'division:lead': 'owner' } },
    project: { roles: ['manager'], inherits: { 'organization:owner': 'manager' } },
    task: { roles: ['editor'], inherits: { 'project:manager': 'editor' } },
  },
  entitlements: { 'task:update': { roles: ['editor'] } },
} as const;

/** The access to tasks: by roles up to four levels above them. */
export const tree: AccessDefinition<typeof model> = defineAccess(model);

/** Opens the access of one user, as for a request. */
export function openTree(
  stores: Pick<Stores, 'roleAssignments' | 'hierarchy'>,
  userId: string,
): AccessContext<typeof model> {
  const { roleAssignments, hierarchy } = stores;
  return createAccessContext({
    userId,
    definition: tree,
    roleStore: roleAssignments,
    closureStore: hierarchy,
    orgResolver: () => null,
  });
}

const taskModel = defineModel('tasks', { fields: { title: field.text(), done: field.boolean({ default: false }) } });

const granted = rules.entitlement('task:update');

/** Tasks that are listed by the roles that people hold on them, or above them. */
export const taskEntity: Entity = defineEntity({
  model: taskModel,
  definition: tree,
  resource: { type: 'task' },
  access: { list: granted, get: granted, create: false, update: false, delete: false },
});

/** Their table. */
export const taskTables: readonly EntityTable[] = toEntityTables([taskModel]);

/** Opens stores on a new database, filled with so many tasks. */
export async function openFilledTree(
  url: string,
  tasks: number,
): Promise<AsyncDisposable & { readonly stores: Stores }> {
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

/**
 * Adds so many tasks, ten to a project, ten projects to an organization, each of which has one owner; 100 or more.
 * {@link taskAndOwner} asks about them.
 */
async function fillTree(url: string, tasks: number): Promise<void> {
  if (url.startsWith('file:')) fillSqlite(url.slice('file:'.length), tasks);
  else await fillPostgres(url, tasks);
}

/** Returns the owner of the organization that a task is in, and the task. */
export function taskAndOwner(task: number, tasks: number): { readonly userId: string; readonly taskId: string } {
  return { userId: `user-${(task % (tasks / 10)) % (tasks / 100)}`, taskId: `task-${task}` };
}

/** How a database says what the others say otherwise. */
interface Dialect {
  /** A table `series` of so many numbers `n`, from 0. */
  readonly series: (count: number) => string;
  readonly no: string;
}

/** The pairs that the join by hand needs, and nothing beside them. */
function toBareClosure(text: string, options: string): string {
  const columns = ['descendant_type', 'descendant_id', 'ancestor_type', 'ancestor_id'];
  return `CREATE TABLE bare_closure (
    ${columns.map((name) => `${name} ${text} NOT NULL`).join(', ')}, depth INTEGER NOT NULL,
    PRIMARY KEY (${columns.join(', ')})
  ) ${options}`;
}

function toInserts({ series, no }: Dialect, tasks: number): readonly string[] {
  const [projects, organizations] = [tasks / 10, tasks / 100];
  const task = `'task', 'task-' || n`;
  const project = `'project', 'project-' || (n % ${projects})`;
  const organizationOf = (n: string): string => `'organization', 'organization-' || (${n} % ${organizations})`;
  const into = (table: string, count: number, values: string): string =>
    `WITH RECURSIVE ${series(count)} INSERT INTO ${table} SELECT ${values} FROM series`;
  return [
    into('access_edges', tasks, `'task', 'task-' || n, ${project}`),
    into('access_edges', projects, `'project', 'project-' || n, ${organizationOf('n')}`),
    into('access_closure', tasks, `${task}, ${project}, ${task}, 1`),
    into('access_closure', tasks, `${task}, ${organizationOf(`(n % ${projects})`)}, ${project}, 2`),
    into(
      'access_closure',
      projects,
      `'project', 'project-' || n, ${organizationOf('n')}, 'project', 'project-' || n, 1`,
    ),
    'INSERT INTO bare_closure SELECT descendant_type, descendant_id, ancestor_type, ancestor_id, depth FROM access_closure',
    into(
      'app_tasks (id, _version, title, done, created_at, updated_at)',
      tasks,
      `'task-' || n, 1, 'Groceries', ${no}, 0, 0`,
    ),
    into(
      'access_role_assignments (holder, resource_type, resource_id, role, granted_at)',
      organizations,
      `'user:user-' || n, ${organizationOf('n')}, 'owner', 0`,
    ),
  ];
}

function fillSqlite(file: string, tasks: number): void {
  const series = (count: number): string =>
    `series (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM series WHERE n < ${count - 1})`;
  const database = new Database(file);
  for (const pragma of ['synchronous = OFF', 'cache_size = -1000000']) database.pragma(pragma);
  database.exec(toBareClosure('TEXT', 'STRICT, WITHOUT ROWID'));
  database.transaction(() => {
    for (const insert of toInserts({ series, no: '0' }, tasks)) database.exec(insert);
  })();
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
}

async function fillPostgres(url: string, tasks: number): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query("SET synchronous_commit = 'off'");
  await client.query(toBareClosure('TEXT COLLATE "C"', ''));
  const series = (count: number): string => `series (n) AS (SELECT generate_series(0, ${count - 1}))`;
  for (const insert of toInserts({ series, no: 'false' }, tasks)) await client.query(insert);
  await client.query('VACUUM ANALYZE');
  await client.query('CHECKPOINT');
  await client.end();
}

const insert = `
  INSERT INTO access_role_assignments (holder, resource_type, resource_id, role, granted_at)
  VALUES ($1, 'organization', $2, 'owner', 0)`;

/** Makes users owners of organizations of a tree, the first one of the first, and so on. */
export async function giveOrganizations(url: string, userIds: readonly string[], organizations: number): Promise<void> {
  const grants = userIds.map((userId, index) => [`user:${userId}`, `organization-${index % organizations}`]);
  if (url.startsWith('file:')) {
    const database = new Database(url.slice('file:'.length));
    const statement = database.prepare<string[]>(insert.replaceAll(/\$\d/g, '?'));
    for (const grant of grants) statement.run(...grant);
    database.close();
    return;
  }
  const client = new pg.Client(url);
  await client.connect();
  for (const grant of grants) await client.query(insert, grant);
  await client.end();
}
