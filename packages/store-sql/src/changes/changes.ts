import type { Change, ChangeFeed, ChangeKind, ChangeStore, EntityValue, StoredChange } from '@x/store';
import { assertStorableText } from '@x/store/engine';
import type { ConditionRow } from '@x/store/where';
import { moment, text, textOrNull } from '../columns.ts';
import { type SqlTable, type TableLayout, toEntityRecord } from '../entity/sql-table.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import type { SqlDriver } from '../sql-driver.ts';
import type { SqlRow, SqlExecutor } from '../sql-executor.ts';
import type { OnExecutor } from '../store-dependencies.ts';

/** The options of the feed. */
export interface SqlChangesOptions {
  readonly dialect: SqlDialect;
  readonly layout: TableLayout;
}

/** Builds the feed. */
export function createSqlChanges({ dialect, layout }: SqlChangesOptions): OnExecutor<ChangeStore> {
  const { append, selectEnd, selectPage, deleteOldest } = toChangeStatements(dialect);
  return (sql) => ({
    async append({ entity, id, tenantId = null, before, after }) {
      for (const each of [entity, id, tenantId ?? '']) assertStorableText(each);
      await sql.execute(append, ['app', entity, id, tenantId, toJson(before), toJson(after)]);
    },

    async read(after, limit) {
      if (after === null) return { changes: [], position: text((await sql.read(selectEnd, []))[0]?.['end_position']) };
      if (!isPosition(after)) return null;
      const rows = await sql.read(selectPage, [after, limit]);
      const end = text<string>(rows[0]?.['end_position']);
      if (isLater(after, end)) return null;
      const listed = rows.filter((row) => row['kind'] !== null);
      const tables = await toTables(layout, sql);
      const changes = listed.flatMap((row) => toChange(row, tables) ?? []);
      const last = listed.at(-1)?.['position'];
      return { changes, position: listed.length < limit ? end : text(last) };
    },

    prune: ({ olderThanMs, limit }) => sql.execute(deleteOldest, [olderThanMs, limit]),
  });
}

/** Adds to the feed of a database what no transaction has. */
export function createSqlFeed(driver: SqlDriver, changes: ChangeStore, isKept: boolean): ChangeFeed {
  const listeners = new Set<{ readonly call: () => void }>();
  let end: (() => void) | undefined;
  return {
    ...changes,
    isKept,
    subscribe(onHint) {
      const entry = { call: onHint };
      listeners.add(entry);
      end ??= driver.watchChanges(() => {
        for (const { call } of listeners) call();
      });
      return () => {
        listeners.delete(entry);
        if (listeners.size > 0) return;
        end?.();
        end = undefined;
      };
    },
  };
}

/** The statements of the feed. A position sorts as the places of rows do. */
export function toChangeStatements({ changes, lockFreeRows }: SqlDialect) {
  const columns = 'kind, entity, id, tenant_id, before, after, at';
  const shown = `${changes.position} AS position, ${columns}`;
  return {
    append: `INSERT INTO live_changes (${columns}) VALUES ($1, $2, $3, $4, $5, $6, ${changes.now})`,

    selectEnd: `SELECT ${changes.end} AS end_position`,

    // One statement, so that the end is that of what it reads.
    selectPage: `
  SELECT end_position, listed.* FROM (SELECT ${changes.end} AS end_position) AS ending LEFT JOIN (
    SELECT ${shown} FROM live_changes WHERE ${changes.isAfter('$1')} AND ${changes.isSettled}
    ORDER BY ${changes.order} LIMIT $2
  ) AS listed ON TRUE`,

    // A separate `WITH`, because inside `IN`, Postgres may run a locking `LIMIT` more than once.
    deleteOldest: `
  WITH oldest AS (SELECT ${changes.order}, at FROM live_changes ORDER BY ${changes.order} LIMIT $2 ${lockFreeRows})
  DELETE FROM live_changes
  WHERE (${changes.order}) IN (SELECT ${changes.order} FROM oldest WHERE at <= ${changes.now} - $1)`,
  };
}

/** Bounded, so that each part fits its type in any database. */
function isPosition(position: string): boolean {
  return /^\d{1,18}\.\d{1,18}$/.test(position);
}

function isLater(position: string, end: string): boolean {
  const [[epoch = 0n, seq = 0n], [endEpoch = 0n, endSeq = 0n]] = [toParts(position), toParts(end)];
  return epoch === endEpoch ? seq > endSeq : epoch > endEpoch;
}

function toParts(position: string): readonly bigint[] {
  return position.split('.').map(BigInt);
}

function toJson(row: ConditionRow | null): string | null {
  return row && JSON.stringify(row);
}

/** By the names of tables. Those of other entities belong to other versions of the app. */
async function toTables(layout: TableLayout, sql: SqlExecutor): Promise<ReadonlyMap<string, SqlTable>> {
  const known = layout.tables ?? (await layout.find(sql));
  return new Map([...known.values()].map((table) => [unquote(table.sql), table]));
}

/** Converts a row of the feed; null for the row of an entity that this process does not have. */
function toChange(row: SqlRow, tables: ReadonlyMap<string, SqlTable>): StoredChange | null {
  const kind = text<ChangeKind>(row['kind']);
  const change: Omit<Change, 'entity' | 'before' | 'after'> = {
    kind,
    id: text(row['id']),
    tenantId: textOrNull(row['tenant_id']),
  };
  const place = { position: text<string>(row['position']), at: moment(row['at']) };
  const entity = text<string>(row['entity']);
  const [before, after] = [parse(row['before']), parse(row['after'])];
  if (kind !== 'record') {
    return { ...change, ...place, entity, before: decodeImage(kind, before), after: decodeImage(kind, after) };
  }
  const table = tables.get(entity);
  if (!table) return null;
  const decode = (image: SqlRow | null): ConditionRow | null => image && decodeRecord(table, image);
  return { ...change, ...place, entity: table.entity.name, before: decode(before), after: decode(after) };
}

function parse(cell: unknown): SqlRow | null {
  return typeof cell === 'string' ? (JSON.parse(cell) as SqlRow) : null;
}

/** Engines without booleans store 0 and 1. */
function decodeImage(kind: ChangeKind, image: SqlRow | null): ConditionRow | null {
  const flag = kind === 'flag' ? 'value' : kind === 'session' ? 'isEnded' : null;
  const shown = image && flag !== null ? { ...image, [flag]: Boolean(image[flag]) } : image;
  return shown as ConditionRow | null;
}

/** An image has the columns of the table by their names there. */
function decodeRecord(table: SqlTable, image: SqlRow): ConditionRow {
  const named = [...table.columns].filter(([, { type }]) => type !== 'json');
  const row = Object.fromEntries(named.map(([name, column]) => [name, image[unquote(column.name)] ?? null]));
  const decoded: Readonly<Record<string, EntityValue>> = toEntityRecord(table, row).row;
  return Object.fromEntries(named.map(([name]) => [name, decoded[name] ?? null]));
}

function unquote(identifier: string): string {
  return identifier.slice(1, -1);
}
