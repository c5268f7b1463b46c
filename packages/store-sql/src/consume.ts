import type { Consumption, ConsumeOutcome } from '@x/store';
import { checkDebits, type CheckedDebit, maxConsumed, toReceipt } from '@x/store/engine';

import type { IntegerColumn } from './column.ts';
import { type CounterKey, inLockOrder, readCounters } from './wallet-counters.ts';
import type { SqlRow, SqlScope, SqlValue } from './sql-driver.ts';

/** Claims an idempotency key. If it exists, the conflict locks its row and returns it. */
const claimKey = `
  INSERT INTO access_consumptions (tenant_id, receipt_id, idempotency_key, entries, changed_at)
  VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (tenant_id, idempotency_key) WHERE idempotency_key IS NOT NULL
    DO UPDATE SET idempotency_key = excluded.idempotency_key
  RETURNING receipt_id, entries`;

/**
 * Adds to several counters, and returns those that had room. A new counter starts with its amount, which the caller has
 * checked against the maximum. The rows are locked in the order in which they are bound.
 */
const toAddDebits = (count: number): string => {
  const debits = Array.from({ length: count }, (_, index) => 2 + 4 * index);
  const rows = debits.map((at) => `($1, $${at}, $${at + 1}, $${at + 2})`);
  const highest = debits.map((at) => `WHEN $${at} THEN CAST($${at + 3} AS BIGINT)`);
  return `
  INSERT INTO access_wallets (tenant_id, limit_name, period_start, consumed) VALUES ${rows.join(', ')}
  ON CONFLICT (tenant_id, limit_name, period_start) DO UPDATE SET
    consumed = CASE
      WHEN access_wallets.consumed > ${maxConsumed} - excluded.consumed THEN ${maxConsumed}
      ELSE access_wallets.consumed + excluded.consumed
    END
  WHERE access_wallets.consumed <= CASE excluded.limit_name ${highest.join(' ')} END
  RETURNING limit_name, consumed`;
};

const addOneDebit = toAddDebits(1);

/**
 * Consumes from all limits or from none. One limit without a key is one statement; otherwise the step is rolled back if
 * a limit has no room.
 */
export async function consume(
  sql: SqlScope,
  { tenantId, receiptId, idempotencyKey, debits }: Consumption,
  milliseconds: () => number,
): Promise<ConsumeOutcome> {
  const request = { tenantId, receiptId, debits: checkDebits(debits) };
  if (idempotencyKey === undefined) return consumeChecked(sql, request);
  return unlessRefused(sql, request, () =>
    sql.step((step) => consumeOnce(step, { ...request, idempotencyKey }, milliseconds)),
  );
}

/** The validated arguments of `consume`. */
export interface CheckedConsumption {
  readonly tenantId: string;
  readonly receiptId: string;
  readonly debits: readonly CheckedDebit[];
}

/** Consumes without a key. */
export function consumeChecked(sql: SqlScope, request: CheckedConsumption): Promise<ConsumeOutcome> {
  return unlessRefused(sql, request, () => addAll(sql, request));
}

/**
 * Consumes for several calls of the same tenant and the same debits in one step. Returns null and consumes nothing if
 * not enough is left for all of them.
 */
export async function consumeTogether(
  sql: SqlScope,
  requests: readonly [CheckedConsumption, ...CheckedConsumption[]],
): Promise<readonly ConsumeOutcome[] | null> {
  const [{ tenantId, receiptId, debits }] = requests;
  const times = (debit: CheckedDebit): CheckedDebit => ({
    ...debit,
    amount: debit.amount * requests.length,
    // Unlimited debits have no maximum that their sum could exceed.
    highest: debit.highest === maxConsumed ? maxConsumed : debit.highest - debit.amount * (requests.length - 1),
  });
  try {
    const { consumed } = await addAll(sql, { tenantId, receiptId, debits: debits.map(times) });
    return requests.map((request, index) => ({
      outcome: 'consumed',
      receipt: toReceipt({ id: request.receiptId, tenantId, entries: debits }),
      consumed: debits.map(({ amount }, at) => (consumed[at] ?? 0) - amount * (requests.length - 1 - index)),
    }));
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

async function unlessRefused(
  sql: SqlScope,
  request: CheckedConsumption,
  step: () => Promise<ConsumeOutcome>,
): Promise<ConsumeOutcome> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return toRefused(sql, request, error);
  }
}

async function addAll(sql: SqlScope, request: CheckedConsumption): Promise<ConsumeOutcome> {
  return request.debits.length === 1 ? addDebits(sql, request) : sql.step((step) => addDebits(step, request));
}

/** Thrown to roll a step back whose limits don't have enough left. */
class Refusal extends Error {
  readonly limits: ReadonlySet<string>;

  constructor(limits: ReadonlySet<string>) {
    super('There is not enough left of a limit.');
    this.limits = limits;
  }
}

async function consumeOnce(
  step: SqlScope,
  request: CheckedConsumption & { readonly idempotencyKey: string },
  milliseconds: () => number,
): Promise<ConsumeOutcome> {
  const { tenantId, receiptId, idempotencyKey, debits } = request;
  const entries = debits.map(({ limit, periodStart, amount }) => ({ limit, periodStart, amount }));
  const text = JSON.stringify(entries);
  const [claimed] = await step.write(claimKey, () => [tenantId, receiptId, idempotencyKey, text, milliseconds()]);
  const row = claimed as unknown as ConsumptionRow;
  if (row.receipt_id === receiptId) return addDebits(step, request);
  return {
    outcome: 'repeated',
    receipt: toReceipt({ id: row.receipt_id, tenantId, entries: toEntries(row.entries) }),
    consumed: await readCounters(step, toCounters(request)),
  };
}

/**
 * @throws Refusal if a limit has no room; with several limits, what it added to the others still has to be rolled back
 *
 * @throws Refusal where a limit has no room; with several limits, what it added to others is still to be undone
 */
async function addDebits(sql: SqlScope, request: CheckedConsumption): Promise<ConsumeOutcome> {
  const { tenantId, receiptId, debits } = request;
  const hopeless = debits.filter(({ highest }) => highest < 0);
  if (hopeless.length > 0) throw new Refusal(new Set(hopeless.map(({ limit }) => limit)));
  const values = inLockOrder(debits).flatMap((debit): readonly SqlValue[] => [
    debit.limit,
    debit.periodStart,
    debit.amount,
    debit.highest,
  ]);
  const text = debits.length === 1 ? addOneDebit : toAddDebits(debits.length);
  const added = new Map((await sql.write(text, [tenantId, ...values])).map(toAdded));
  const refused = debits.filter(({ limit }) => !added.has(limit));
  if (refused.length > 0) throw new Refusal(new Set(refused.map(({ limit }) => limit)));
  return {
    outcome: 'consumed',
    receipt: toReceipt({ id: receiptId, tenantId, entries: debits }),
    consumed: debits.map(({ limit }) => added.get(limit) ?? 0),
  };
}

/** Reports every limit that lacks room; the step may not have reached all of them. */
async function toRefused(sql: SqlScope, request: CheckedConsumption, { limits }: Refusal): Promise<ConsumeOutcome> {
  const consumed = await readCounters(sql, toCounters(request));
  const refused = request.debits.filter(
    ({ limit, highest }, index) => limits.has(limit) || (consumed[index] ?? 0) > highest,
  );
  return { outcome: 'refused', refusedBy: refused.map(({ limit }) => limit), consumed };
}

function toCounters({ tenantId, debits }: CheckedConsumption): readonly CounterKey[] {
  return debits.map(({ limit, periodStart }) => ({ tenantId, limit, periodStart }));
}

function toAdded(columns: SqlRow): readonly [limit: string, consumed: number] {
  const row = columns as unknown as AddedRow;
  return [row.limit_name, Number(row.consumed)];
}

function toEntries(column: ConsumptionRow['entries']): readonly EntryColumn[] {
  return typeof column === 'string' ? (JSON.parse(column) as readonly EntryColumn[]) : column;
}

interface AddedRow {
  readonly limit_name: string;
  readonly consumed: IntegerColumn;
}

interface ConsumptionRow {
  readonly receipt_id: string;
  readonly entries: string | readonly EntryColumn[];
}

/** A consumed entry, as stored in JSON. */
interface EntryColumn {
  readonly limit: string;
  readonly periodStart: number;
  readonly amount: number;
}
