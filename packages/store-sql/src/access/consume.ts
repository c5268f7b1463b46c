import type { Clock, ConsumeOutcome, Consumption } from '@x/store';
import { checkDebits, type CheckedDebit, type CheckedEntry, maxConsumed, toReceipt } from '@x/store/engine';

import { type Columns, defineColumns, integer, json, moment, text, textOrNull } from '../columns.ts';
import { type CounterKey, inLockOrder, readCounters } from './wallet-counters.ts';
import type { SqlRow, SqlExecutor, SqlValue } from '../sql-executor.ts';

/** A consumption that must not be counted again, which has a key, or not be taken back again, which has no key. */
interface StoredConsumption {
  readonly tenantId: string;
  readonly receiptId: string;
  readonly idempotencyKey: string | null;
  readonly entries: readonly CheckedEntry[];
  readonly changedAt: Date;
}

/** The columns of `access_consumptions`. */
export const consumptionColumns: Columns<StoredConsumption> = defineColumns((row): StoredConsumption => ({
  tenantId: text(row['tenant_id']),
  receiptId: text(row['receipt_id']),
  idempotencyKey: textOrNull(row['idempotency_key']),
  entries: json(row['entries']),
  changedAt: moment(row['changed_at']),
}));

/** Claims an idempotency key. If it exists, the conflict locks its row and returns it. */
const claimKey = `
  INSERT INTO access_consumptions (${consumptionColumns.names}) VALUES (${consumptionColumns.placeholders})
  ON CONFLICT (tenant_id, idempotency_key) WHERE idempotency_key IS NOT NULL
    DO UPDATE SET idempotency_key = excluded.idempotency_key
  RETURNING ${consumptionColumns.names}`;

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
  sql: SqlExecutor,
  { tenantId, receiptId, idempotencyKey, debits }: Consumption,
  clock: Clock,
): Promise<ConsumeOutcome> {
  const request = { tenantId, receiptId, debits: checkDebits(debits) };
  if (idempotencyKey === undefined) return consumeChecked(sql, request);
  return unlessRefused(sql, request, () =>
    sql.step((step) => consumeOnce(step, { ...request, idempotencyKey }, clock)),
  );
}

/** The validated arguments of `consume`. */
export interface CheckedConsumption {
  readonly tenantId: string;
  readonly receiptId: string;
  readonly debits: readonly CheckedDebit[];
}

/** Consumes without a key. */
export function consumeChecked(sql: SqlExecutor, request: CheckedConsumption): Promise<ConsumeOutcome> {
  return unlessRefused(sql, request, () => addAll(sql, request));
}

/**
 * Consumes for several calls of the same tenant and the same debits in one step. Returns null and consumes nothing if
 * not enough is left for all of them.
 */
export async function consumeTogether(
  sql: SqlExecutor,
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
  sql: SqlExecutor,
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

async function addAll(sql: SqlExecutor, request: CheckedConsumption): Promise<ConsumeOutcome> {
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
  step: SqlExecutor,
  request: CheckedConsumption & { readonly idempotencyKey: string },
  clock: Clock,
): Promise<ConsumeOutcome> {
  const { tenantId, receiptId, idempotencyKey, debits } = request;
  const entries = debits.map(({ limit, periodStart, amount }) => ({ limit, periodStart, amount }));
  const rows = await step.write(
    claimKey,
    consumptionColumns.bind({ tenantId, receiptId, idempotencyKey, entries }, () => ({ changedAt: clock.now() })),
  );
  const claimed = consumptionColumns.decodeFirst(rows);
  if (!claimed || claimed.receiptId === receiptId) return addDebits(step, request);
  return {
    outcome: 'repeated',
    receipt: toReceipt({ id: claimed.receiptId, tenantId, entries: claimed.entries }),
    consumed: await readCounters(step, toCounters(request)),
  };
}

/**
 * @throws Refusal if a limit has no room; with several limits, what it added to the others still has to be rolled back
 */
async function addDebits(sql: SqlExecutor, request: CheckedConsumption): Promise<ConsumeOutcome> {
  const { tenantId, receiptId, debits } = request;
  const impossible = debits.filter(({ highest }) => highest < 0);
  if (impossible.length > 0) throw new Refusal(new Set(impossible.map(({ limit }) => limit)));
  const values = inLockOrder(debits).flatMap((debit): readonly SqlValue[] => [
    debit.limit,
    debit.periodStart,
    debit.amount,
    debit.highest,
  ]);
  const statement = debits.length === 1 ? addOneDebit : toAddDebits(debits.length);
  const added = new Map((await sql.write(statement, [tenantId, ...values])).map(toAdded));
  const refused = debits.filter(({ limit }) => !added.has(limit));
  if (refused.length > 0) throw new Refusal(new Set(refused.map(({ limit }) => limit)));
  return {
    outcome: 'consumed',
    receipt: toReceipt({ id: receiptId, tenantId, entries: debits }),
    consumed: debits.map(({ limit }) => added.get(limit) ?? 0),
  };
}

/** Reports every limit that lacks room; the step may not have reached all of them. */
async function toRefused(sql: SqlExecutor, request: CheckedConsumption, { limits }: Refusal): Promise<ConsumeOutcome> {
  const consumed = await readCounters(sql, toCounters(request));
  const refused = request.debits.filter(
    ({ limit, highest }, index) => limits.has(limit) || (consumed[index] ?? 0) > highest,
  );
  return { outcome: 'refused', refusedBy: refused.map(({ limit }) => limit), consumed };
}

function toCounters({ tenantId, debits }: CheckedConsumption): readonly CounterKey[] {
  return debits.map(({ limit, periodStart }) => ({ tenantId, limit, periodStart }));
}

function toAdded(row: SqlRow): readonly [limit: string, consumed: number] {
  return [text(row['limit_name']), integer(row['consumed'])];
}
