import type { CheckedEntry } from '@x/store/engine';

import type { IntegerColumn } from './column.ts';
import type { SqlScope } from './sql-driver.ts';
import { toValuesList } from './values-list.ts';
import { Parameters } from './where/parameters.ts';

/** Identifies one counter; the start of its period is in milliseconds since 1970. */
export interface CounterKey {
  readonly tenantId: string;
  readonly limit: string;
  readonly periodStart: number;
}

/** What is asked comes as text. */
const toSelectCounters = (asked: string): string => `
  WITH asked (tenant_id, limit_name, period_start) AS (VALUES ${asked})
  SELECT wallet.tenant_id, wallet.limit_name, wallet.period_start, wallet.consumed
  FROM asked CROSS JOIN access_wallets AS wallet
  WHERE wallet.tenant_id = asked.tenant_id AND wallet.limit_name = asked.limit_name
    AND wallet.period_start = CAST(asked.period_start AS BIGINT)`;

/** Reads counters in their order. */
export async function readCounters(sql: SqlScope, counters: readonly CounterKey[]): Promise<readonly number[]> {
  if (counters.length === 0) return [];
  const parameters = new Parameters();
  // A number could be converted to text with an exponent on its way.
  const asked = counters.map(({ tenantId, limit, periodStart }) => [tenantId, limit, String(periodStart)]);
  const text = toSelectCounters(toValuesList(asked, parameters.bind));
  const found = new Map<string, number>();
  for (const columns of await sql.read(text, parameters.values)) {
    const row = columns as unknown as CounterRow;
    const key = { tenantId: row.tenant_id, limit: row.limit_name, periodStart: Number(row.period_start) };
    found.set(toText(key), Number(row.consumed));
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

interface CounterRow {
  readonly tenant_id: string;
  readonly limit_name: string;
  readonly period_start: IntegerColumn;
  readonly consumed: IntegerColumn;
}
