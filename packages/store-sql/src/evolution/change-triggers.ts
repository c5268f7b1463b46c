import { hash } from 'node:crypto';
import type { ChangeKind } from '@x/store';
import type { ColumnState, TableState } from './table-state.ts';
import type { ChangeTrigger, SqlDialect } from '../sql-dialect.ts';
import type { MigrationExecutor } from '../sql-driver.ts';

/** A change of a row, as a trigger sees it. */
type Operation = 'INSERT' | 'UPDATE' | 'DELETE';

/** The changes of a table that the feed has. All parts but the names are SQL for the row that is called `row`. */
interface FollowedTable {
  readonly table: string;
  readonly kind: ChangeKind;
  readonly operations: readonly Operation[];
  /** The only columns whose updates the feed has; default: every one. */
  readonly updateOf?: readonly string[];
  readonly deletedIf?: string;
  readonly entity: (row: string) => string;
  readonly id: (row: string) => string;
  readonly tenantId?: (row: string) => string;
  readonly image: (row: string) => readonly (readonly [name: string, sql: string])[];
}

const everyOperation: readonly Operation[] = ['INSERT', 'UPDATE', 'DELETE'];

/** The tables that say who may do what, and which sessions are good. */
const accessTables: readonly FollowedTable[] = [
  {
    table: 'access_role_assignments',
    kind: 'role',
    operations: ['INSERT', 'DELETE'],
    entity: (row) => `${row}.resource_type`,
    id: (row) => `${row}.resource_id`,
    image: (row) => [
      ['userId', toHolderId(`${row}.holder`, 'user:')],
      ['groupId', toHolderId(`${row}.holder`, 'group:')],
      ['role', `${row}.role`],
    ],
  },
  {
    table: 'access_memberships',
    kind: 'membership',
    operations: ['INSERT', 'DELETE'],
    entity: (row) => `${row}.parent_type`,
    id: (row) => `${row}.parent_id`,
    image: (row) => [
      ['userId', `CASE ${row}.child_type WHEN 'user' THEN ${row}.child_id END`],
      ['groupId', `CASE ${row}.child_type WHEN 'group' THEN ${row}.child_id END`],
    ],
  },
  {
    table: 'access_edges',
    kind: 'hierarchy',
    operations: everyOperation,
    entity: (row) => `${row}.child_type`,
    id: (row) => `${row}.child_id`,
    image: (row) => [
      ['parentType', `${row}.parent_type`],
      ['parentId', `${row}.parent_id`],
    ],
  },
  ofTenant('access_subscriptions', 'plan', 'plan_group', ['planName', 'plan_name']),
  ofTenant('access_add_ons', 'addOn', 'add_on', ['quantity', 'quantity']),
  ofTenant('access_overrides', 'override', 'name', ['max', 'max_allowed']),
  ofTenant('access_flags', 'flag', 'name', ['value', 'value']),
  {
    table: 'auth_sessions',
    kind: 'session',
    operations: ['UPDATE', 'DELETE'],
    updateOf: ['revoked_at', 'ver'],
    deletedIf: 'OLD.revoked_at IS NULL',
    entity: () => "'session'",
    id: (row) => `${row}.id`,
    image: (row) => [
      ['userId', `${row}.user_id`],
      ['ver', `${row}.ver`],
      ['isEnded', `${row}.revoked_at IS NOT NULL`],
    ],
  },
];

/** The id of a holder of roles, if it begins as given. */
function toHolderId(holder: string, start: string): string {
  return `CASE substr(${holder}, 1, ${start.length}) WHEN '${start}' THEN substr(${holder}, ${start.length + 1}) END`;
}

function ofTenant(table: string, kind: ChangeKind, id: string, cell: readonly [string, string]): FollowedTable {
  const [name, column] = cell;
  return {
    table,
    kind,
    operations: everyOperation,
    entity: () => `'${kind}'`,
    id: (row) => `${row}.${id}`,
    tenantId: (row) => `${row}.tenant_id`,
    image: (row) => [[name, `${row}.${column}`]],
  };
}

/** An image has the names of the table's columns, which never change. */
function ofEntity({ table, columns }: TableState, { changes }: SqlDialect): FollowedTable {
  const followed = columns.filter(({ type }) => type !== 'json');
  const toCell = (row: string, { column, type, references }: ColumnState): string =>
    references?.key ? `CAST(${row}."${column}" AS TEXT)` : changes.toImageCell(type, `${row}."${column}"`);
  return {
    table,
    kind: 'record',
    operations: everyOperation,
    entity: () => `'${table}'`,
    id: (row) => `${row}."id"`,
    image: (row) => [['id', `${row}."id"`], ...followed.map((each) => [each.column, toCell(row, each)] as const)],
  };
}

/**
 * Makes the triggers of the database those that append every change to the feed, or removes them. One that is there
 * already is not touched, so that no statement waits for it. Tables that this version does not know keep theirs.
 */
export async function followChanges(
  executor: MigrationExecutor,
  {
    dialect,
    tables,
    isKept,
  }: { readonly dialect: SqlDialect; readonly tables: readonly TableState[]; readonly isKept: boolean },
): Promise<void> {
  const followed = isKept ? [...accessTables, ...tables.map((table) => ofEntity(table, dialect))] : [];
  const wanted = followed.flatMap((each) => each.operations.map((operation) => toTrigger(each, operation, dialect)));
  const present = await listTriggers(executor, dialect);
  const names = new Set(wanted.map(({ name }) => name));
  for (const each of present) if (!names.has(each.name)) await executor.runScript(dialect.changes.dropTrigger(each));
  const kept = new Set(present.map(({ name }) => name));
  for (const each of wanted) if (!kept.has(each.name)) await executor.runScript(dialect.changes.createTrigger(each));
}

/** Removes the triggers of a table, whose columns could not be dropped otherwise. They are created again afterwards. */
export async function unfollowTable(executor: MigrationExecutor, dialect: SqlDialect, table: string): Promise<void> {
  const present = await listTriggers(executor, dialect);
  for (const each of present) if (each.table === table) await executor.runScript(dialect.changes.dropTrigger(each));
}

async function listTriggers(
  executor: MigrationExecutor,
  { changes }: SqlDialect,
): Promise<readonly Pick<ChangeTrigger, 'name' | 'table'>[]> {
  const rows = await executor.read(changes.listTriggers, []);
  return rows.map((row) => ({ name: String(row['name']), table: String(row['table_name']) }));
}

function toTrigger(followed: FollowedTable, operation: Operation, { changes }: SqlDialect): ChangeTrigger {
  const row = operation === 'DELETE' ? 'OLD' : 'NEW';
  const image = (of: string): string => changes.toImage(followed.image(of));
  const values = [
    `'${followed.kind}'`,
    followed.entity(row),
    followed.id(row),
    followed.tenantId?.(row) ?? 'NULL',
    operation === 'INSERT' ? 'NULL' : image('OLD'),
    operation === 'DELETE' ? 'NULL' : image('NEW'),
    changes.now,
  ].join(', ');
  const isChanged = (followed.updateOf ?? []).map((column) => `OLD.${column} IS DISTINCT FROM NEW.${column}`);
  const parts = {
    table: followed.table,
    event: operation === 'UPDATE' && followed.updateOf ? `UPDATE OF ${followed.updateOf.join(', ')}` : operation,
    condition:
      operation === 'UPDATE' ? isChanged.join(' OR ') : operation === 'DELETE' ? (followed.deletedIf ?? '') : '',
    statement: `INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES (${values})`,
  };
  return { ...parts, name: `${triggerPrefix}${hash('sha256', JSON.stringify(parts)).slice(0, 24)}` };
}

/** The prefix of the names of all triggers, and of nothing else. */
export const triggerPrefix = 'live_append_';

/** How many members a function that builds a JSON object is given at most; engines take up to 50. */
const maxMembers = 40;

/**
 * Builds a JSON object of any number of members.
 *
 * @param build - calls a function with names and values
 * @param merge - joins the objects of two calls
 */
export function toImageOf(
  members: readonly (readonly [name: string, sql: string])[],
  build: (parts: string) => string,
  merge: (one: string, other: string) => string,
): string {
  const objects: string[] = [];
  for (let at = 0; at < members.length; at += maxMembers) {
    const some = members.slice(at, at + maxMembers);
    objects.push(build(some.map(([name, sql]) => `'${name}', ${sql}`).join(', ')));
  }
  return objects.reduce(merge);
}
