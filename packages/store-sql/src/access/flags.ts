import type { FlagKey, FlagStore } from '@x/store';
import { logged } from '@x/store/engine';
import { boolean, defineColumns, integer, text, textOrNull } from '../columns.ts';
import { createRecording } from '../events.ts';
import type { SqlExecutor, SqlValue } from '../sql-executor.ts';
import type { OnExecutor, SqlStoreDependencies } from '../store-dependencies.ts';
import { Parameters, toValuesList } from '../parameters.ts';

interface StoredFlag extends FlagKey {
  readonly value: boolean;
}

const flagColumns = defineColumns((row): StoredFlag => ({
  tenantId: textOrNull(row['tenant_id']),
  name: text(row['name']),
  value: boolean(row['value']),
}));

const setForTenant = `
  INSERT INTO access_flags (${flagColumns.names}) VALUES (${flagColumns.placeholders})
  ON CONFLICT (name, tenant_id) WHERE tenant_id IS NOT NULL DO UPDATE SET value = excluded.value
  WHERE access_flags.value <> excluded.value`;

const setForAll = `
  INSERT INTO access_flags (${flagColumns.names}) VALUES (${flagColumns.placeholders})
  ON CONFLICT (name) WHERE tenant_id IS NULL DO UPDATE SET value = excluded.value
  WHERE access_flags.value <> excluded.value`;

const deleteForTenant = 'DELETE FROM access_flags WHERE name = $2 AND tenant_id = $1';

const deleteForAll = 'DELETE FROM access_flags WHERE name = $1 AND tenant_id IS NULL';

const toSelectFlags = (requested: string): string => `
  WITH requested (position, tenant_id, name) AS (VALUES ${requested})
  SELECT requested.position, COALESCE(own.value, everyone.value) AS value
  FROM requested
  LEFT JOIN access_flags AS own ON own.name = requested.name AND own.tenant_id = requested.tenant_id
  LEFT JOIN access_flags AS everyone ON everyone.name = requested.name AND everyone.tenant_id IS NULL`;

/** Builds the flag store. */
export function createSqlFlags({ clock }: SqlStoreDependencies): OnExecutor<FlagStore> {
  const { record } = createRecording({ clock });
  return (sql) => ({
    set: (flag, value, cause) =>
      record(sql, cause, async (step) => {
        const hasChanged = (await step.execute(...toSetting(flag, value))) > 0;
        return { outcome: undefined, recorded: hasChanged ? [logged.flag(flag, value)] : [] };
      }),

    readMany: (flags) => readFlags(sql, flags),
  });
}

/** Returns the statement that sets a flag, and its values. */
function toSetting({ tenantId, name }: FlagKey, value: boolean | null): [text: string, values: readonly SqlValue[]] {
  if (value === null) return tenantId === null ? [deleteForAll, [name]] : [deleteForTenant, [tenantId, name]];
  return [tenantId === null ? setForAll : setForTenant, flagColumns.encode({ tenantId, name, value })];
}

async function readFlags(sql: SqlExecutor, flags: readonly FlagKey[]): Promise<readonly (boolean | null)[]> {
  if (flags.length === 0) return [];
  const parameters = new Parameters();
  const requested = flags.map(({ tenantId, name }, position) => [String(position), tenantId, name]);
  const query = toSelectFlags(toValuesList(requested, parameters.bind));
  const values = new Map<number, boolean>();
  for (const { position, value } of await sql.read(query, parameters.values)) {
    if (value !== null) values.set(integer(position), boolean(value));
  }
  return flags.map((_, position) => values.get(position) ?? null);
}
