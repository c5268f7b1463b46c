import type { CheckedEntry } from '@x/store/engine';

import { integer, text } from '../columns.ts';
import type { SqlExecutor } from '../sql-executor.ts';
import { Parameters, toValuesList } from '../parameters.ts';

/** Identifies one counter; the start of its period is in milliseconds since 1970. */
export interface CounterKey {
  readonly tenantId: string;
  readonly limit: string;
  readonly periodStart: number;
}

/** @param requested - the rows of a VALUES list, of texts */
const toSelectCounters = (requested: string): string => `
  WITH requested (tenant_id, limit_name, period_start) AS (VALUES ${requested})
  SELECT wallet.tenant_id, wallet.limit_name, wallet.period_start, wallet.consumed
  FROM requested CROSS JOIN access_wallets AS wallet
  WHERE wallet.tenant_id = requested.tenant_id AND wallet.limit_name = requested.limit_name
    AND wallet.period_start = CAST(requested.period_start AS BIGINT)`;

/** Reads counters in their order. */
export async function readCounters(sql: SqlExecutor, counters: readonly CounterKey[]): Promise<readonly number[]> {
  if (counters.length === 0) return [];
  const parameters = new Parameters();
  // A number could be converted to text with an exponent on its way.
  const requested = counters.map(({ tenantId, limit, periodStart }) => [tenantId, limit, String(periodStart)]);
  const query = toSelectCounters(toValuesList(requested, parameters.bind));
  const found = new Map<string, number>();
  for (const row of await sql.read(query, parameters.values)) {
    const key = {
      tenantId: text(row['tenant_id']),
      limit: text(row['limit_name']),
      periodStart: integer(row['period_start']),
    };
    found.set(toText(key), integer(row['consumed']));
  }
  return counters.map((counter) => found.get(toText(counter)) ?? 0);
}

/**
 * Sorts the entries of one tenant in the order in which their counters are locked, which every step follows to avoid
 * deadlocks. A step that also locks a receipt's row locks that first.
 */
export function inLockOrder<Entry extends CheckedEntry>(entries: readonly Entry[]): readonly Entry[] {
  return entries.toSorted((a, b) => (a.limit < b.limit ? -1 : 1));
}

/** No text contains U+0000, so it can separate the parts. */
function toText({ tenantId, limit, periodStart }: CounterKey): string {
  return `${tenantId}\0${limit}\0${periodStart}`;
}
