import type { LatestUsage, TenantSnapshot, TenantSnapshotQuery, TenantSnapshotStore } from '@x/store';

import { integer, moment } from '../columns.ts';
import { linkPath } from './linked-paths.ts';
import { toSelectPath } from './role-assignments.ts';
import type { SqlRow, SqlExecutor } from '../sql-executor.ts';
import type { OnExecutor, SqlStoreDependencies } from '../store-dependencies.ts';
import { groupPlans, noPlans, toSelectPlans } from './subscriptions.ts';
import { type Bind, Parameters, toValuesList } from '../parameters.ts';

/** $1 is the user, $2 and $3 are the tenant. */
const toTables = (selectPath: string): string => `
  assigned (type, id, parent_type, parent_id, role, holder) AS (${selectPath}),
  plan (kind, tenant_id, name, plan_name, started_at, expires_at, amount) AS (${toSelectPlans('= $3')})`;

/** Rows of every kind have the same columns. */
const selectRolesAndPlans = `
  SELECT 'role' AS kind, type, id, parent_type, parent_id, role, holder, NULL AS tenant_id, NULL AS name, NULL AS plan_name,
    CAST(NULL AS BIGINT) AS started_at, CAST(NULL AS BIGINT) AS expires_at, CAST(NULL AS BIGINT) AS amount
  FROM assigned
  UNION ALL
  SELECT kind, NULL, NULL, NULL, NULL, NULL, NULL, tenant_id, name, plan_name, started_at, expires_at, amount FROM plan`;

const selectFlags = `
  UNION ALL
  SELECT 'flag', NULL, NULL, NULL, NULL, NULL, NULL, NULL, requested_flag.name, NULL, NULL, NULL,
    CASE COALESCE(own.value, everyone.value) WHEN TRUE THEN 1 WHEN FALSE THEN 0 END
  FROM requested_flag
  LEFT JOIN access_flags AS own ON own.name = requested_flag.name AND own.tenant_id = $3
  LEFT JOIN access_flags AS everyone ON everyone.name = requested_flag.name AND everyone.tenant_id IS NULL`;

/** The primary key orders the periods of a limit. */
const latest = `
    FROM access_wallets WHERE tenant_id = $3 AND limit_name = requested_limit.name ORDER BY period_start DESC LIMIT 1`;

const selectLatestUses = `
  UNION ALL
  SELECT 'use', NULL, NULL, NULL, NULL, NULL, NULL, NULL, requested_limit.name, NULL,
    (SELECT period_start${latest}), NULL, (SELECT consumed${latest})
  FROM requested_limit`;

/** Builds the store of tenant snapshots. */
export function createSqlTenantSnapshots({ dialect }: SqlStoreDependencies): OnExecutor<TenantSnapshotStore> {
  const tables = toTables(toSelectPath(dialect));
  return (sql) => ({ read: (query) => readSnapshot(sql, tables, query) });
}

async function readSnapshot(sql: SqlExecutor, tables: string, query: TenantSnapshotQuery): Promise<TenantSnapshot> {
  const { tenant, flags, limits } = query;
  const { text, values } = toStatement(tables, query);
  const rows = Map.groupBy((await sql.read(text, values)) as readonly SnapshotRow[], toPart);
  const granted = linkPath(tenant, rows.get('role') ?? []);
  const [plans = noPlans(tenant.id)] = groupPlans([tenant.id], rows.get('plans') ?? []);
  const [flagRows, useRows] = [byName(rows.get('flag')), byName(rows.get('use'))];
  return {
    granted,
    plans,
    flags: flags.map((name) => toFlag(flagRows.get(name))),
    latestUsages: limits.map((name) => toLatestUse(useRows.get(name))),
  };
}

function toStatement(
  tables: string,
  { userId, tenant, flags, limits }: TenantSnapshotQuery,
): Pick<Parameters, 'values'> & { text: string } {
  const parameters = new Parameters();
  for (const value of [userId, tenant.type, tenant.id]) parameters.bind(value);
  const parts = [
    { names: flags, table: 'requested_flag', rows: selectFlags },
    { names: limits, table: 'requested_limit', rows: selectLatestUses },
  ].filter(({ names }) => names.length > 0);
  const requested = parts.map(({ names, table }) => `, ${table} (name) AS (VALUES ${toNames(names, parameters.bind)})`);
  const text = ['WITH', tables, ...requested, selectRolesAndPlans, ...parts.map(({ rows }) => rows)].join('');
  return { text, values: parameters.values };
}

function toNames(names: readonly string[], bind: Bind): string {
  return toValuesList(
    names.map((name) => [name]),
    bind,
  );
}

function toPart({ kind }: SnapshotRow): 'role' | 'plans' | 'flag' | 'use' {
  return kind === 'role' || kind === 'flag' || kind === 'use' ? kind : 'plans';
}

function byName(rows: readonly SnapshotRow[] = []): ReadonlyMap<string, SnapshotRow> {
  return new Map(rows.map((row) => [row.name, row]));
}

function toFlag(row: SnapshotRow | undefined): boolean | null {
  return row === undefined || row.amount === null ? null : integer(row.amount) === 1;
}

function toLatestUse(row: SnapshotRow | undefined): LatestUsage | null {
  if (!row || row.started_at === null) return null;
  return { periodStart: moment(row.started_at), consumed: integer(row.amount) };
}

/** The kinds of rows, and the data of flags and limits: the period began at `started_at`. */
interface SnapshotRow extends SqlRow {
  readonly kind: string;
  readonly name: string;
  readonly started_at: unknown;
  readonly amount: unknown;
}
