import { CodedError, type Logger } from '@x/errors';
import type { WalletReceipt } from '@x/store';
import type { ConditionRow } from '@x/store/where';
import { findReasons, notAuthenticated, notDefined, unmeteredLayers } from '../decision/layers.ts';
import {
  type AccessQuestion,
  type CheckRequest,
  type EvaluationContext,
  toCheckKey,
  toQuestion,
} from '../decision/question.ts';
import { readTenantState, type TenantState, toUsage } from '../decision/tenant-state.ts';
import { type AccessCheck, type Denial, toAccessCheck } from '../outcome/access-check.ts';
import type { AccessStores } from '../reads/access-reads.ts';

/** How an entitlement is consumed. */
export interface ConsumeOptions {
  /** The record, for entitlements with rules. */
  readonly row?: ConditionRow;
  /** A positive safe integer. Default 1. */
  readonly amount?: number;
  /** Makes repeated calls by the same user, for the same entitlement on the same resource, count once. */
  readonly idempotencyKey?: string;
}

/** The result of consuming. */
export interface ConsumeResult extends AccessCheck {
  /** Pass it to `unconsume` to take this back; null if nothing was consumed, for example because there is no limit. */
  readonly receipt: WalletReceipt | null;
}

/** Which consumption to take back. */
export interface UnconsumeOptions {
  /** The consumption to take back; it alone decides, and other members do not matter. */
  readonly receipt?: WalletReceipt;
  /** Without a receipt: a positive safe integer. Default 1. */
  readonly amount?: number;
  /** Without a receipt: when it was consumed, whatever this context has consumed; or when each of several was. */
  readonly consumedAt?: Date | readonly Date[];
}

/** The context in which one request consumes. */
export interface ConsumeContext extends EvaluationContext {
  readonly wallets: AccessStores['walletStore'];
  /** The consumptions of the request so far. */
  readonly receipts: Receipts;
}

/** The amount, and the key that makes repeated calls count once. */
type Amount = Pick<ConsumeOptions, 'amount' | 'idempotencyKey'>;

/** Consumes from all limits of an entitlement if no layer denies it; otherwise the wallet is not touched. */
export async function consume(context: ConsumeContext, request: CheckRequest, amount: Amount): Promise<ConsumeResult> {
  assertAmount(amount.amount);
  if (context.caller.userId === null) return toDenied(notAuthenticated);
  const question = await toQuestion(context, request);
  if (!question) return toDenied(notDefined);
  const result = await consumeLimits(context, question, amount);
  if (result.receipt) context.receipts.add(toCheckKey(request), result.receipt);
  return result;
}

/**
 * Consumes from all limits of an entitlement if no layer denies it, and says whether it did. If a store fails: false,
 * and logged.
 */
export async function canAndConsume(
  context: ConsumeContext,
  request: CheckRequest,
  amount: Amount,
  logger: Logger,
): Promise<boolean> {
  assertAmount(amount.amount);
  try {
    return (await consume(context, request, amount)).allowed;
  } catch (err) {
    logger.error({ err, entitlement: request.entitlement }, 'use could not be decided');
    return false;
  }
}

/**
 * Takes a consumption back: with the receipt, or else by crediting the periods of a moment, or else the last one of the
 * request for the same entitlement and resource, or else by crediting the current periods. Returns false if there was
 * nothing to take back.
 *
 * A receipt alone identifies the consumption: neither the entitlement, the resource, the amount nor the caller matters.
 */
export async function unconsume(
  context: ConsumeContext,
  request: CheckRequest,
  options: UnconsumeOptions,
): Promise<boolean> {
  const { receipt, amount = 1, consumedAt } = options;
  assertAmount(amount);
  const { wallets, receipts, reads } = context;
  if (!wallets) return false;
  const key = toCheckKey(request);
  const last = receipt ?? (consumedAt ? undefined : receipts.last(key));
  if (!last) return credit(context, wallets, { request, amount, consumedAt });
  const isTakenBack = await wallets.unconsume(last);
  reads.forgetCounters();
  receipts.remove(key, last);
  return isTakenBack;
}

/** What is credited: to the current periods, or those of the moments of the consumptions. */
interface Credit {
  readonly request: CheckRequest;
  readonly amount: number;
  readonly consumedAt: Date | readonly Date[] | undefined;
}

/** Credits the current periods of all limits of an entitlement; says whether there is any to credit. */
async function credit(
  context: EvaluationContext,
  wallets: NonNullable<ConsumeContext['wallets']>,
  { request, amount, consumedAt }: Credit,
): Promise<boolean> {
  const question = context.caller.userId === null ? null : await toQuestion(context, request);
  if (!question?.entitlement.isLimited) return false;
  const state = await readTenantState(context, question);
  if (!state || state.limits.length === 0) return false;
  const moments = consumedAt && [consumedAt].flat();
  // What was consumed in an earlier period limits nothing any more.
  const entries = state.limits.flatMap(({ limit, period }) => {
    const times = moments ? moments.filter((moment) => moment >= period.start).length : 1;
    return times > 0 ? [{ limit: limit.name, periodStart: period.start, amount: amount * times }] : [];
  });
  if (entries.length === 0) return false;
  await wallets.credit(state.tenantId, entries);
  context.reads.forgetCounters();
  return true;
}

async function consumeLimits(
  context: ConsumeContext,
  question: AccessQuestion,
  { amount = 1, idempotencyKey }: Amount,
): Promise<ConsumeResult> {
  const [state, ...denials] = await Promise.all([
    question.entitlement.isLimited ? readTenantState(context, question) : null,
    ...unmeteredLayers.map(async (layer) => findReasons(context, layer, question)),
  ]);
  const decision = toAccessCheck(denials);
  if (!decision.allowed || !state || state.limits.length === 0) return { ...decision, receipt: null };
  const { wallets, reads } = context;
  if (!wallets) return refuseDisabled(state);
  const outcome = await wallets.consume({
    tenantId: state.tenantId,
    receiptId: crypto.randomUUID(),
    debits: state.limits.map(({ limit, period }) => ({
      limit: limit.name,
      periodStart: period.start,
      amount,
      max: limit.max,
    })),
    ...(idempotencyKey !== undefined && { idempotencyKey: toScopedKey(context, question, idempotencyKey) }),
  });
  reads.forgetCounters();
  if (outcome.outcome === 'refused') return toRefused(state, outcome.refusedBy, outcome.consumed);
  assertSameAmount(outcome.receipt, amount);
  return { ...decision, receipt: outcome.receipt };
}

/** Without a wallet store nothing is counted, and only limits of 0 deny. */
function refuseDisabled(state: TenantState): ConsumeResult {
  const disabled = state.limits.filter(({ limit }) => limit.max === 0).map(({ limit }) => limit.name);
  if (disabled.length === 0) return { ...toAccessCheck([]), receipt: null };
  return toRefused(state, disabled, []);
}

function toRefused(state: TenantState, refusedBy: readonly string[], consumed: readonly number[]): ConsumeResult {
  const index = state.limits.findIndex(({ limit }) => refusedBy.includes(limit.name));
  const refused = state.limits[index];
  return toDenied({
    reasons: ['limit_reached'],
    meta: refused ? { limit: toUsage(refused, consumed[index] ?? 0) } : {},
  });
}

function toDenied(denial: Denial): ConsumeResult {
  return { ...toAccessCheck([denial]), receipt: null };
}

/** Scopes a key, so that it can never match another user's, nor one for another entitlement or resource. */
function toScopedKey({ caller }: EvaluationContext, { entitlement, resource }: AccessQuestion, key: string): string {
  return JSON.stringify([caller.userId, entitlement.name, resource?.type ?? null, resource?.id ?? null, key]);
}

/** A key stands for one consumption; repeating it with another amount is a mistake. */
function assertSameAmount({ entries }: WalletReceipt, amount: number): void {
  if (entries.every((entry) => entry.amount === amount)) return;
  throw new CodedError('CONFLICT', 'The idempotency key was used with another amount.');
}

/** Throws `VALIDATION_FAILED` rather than `TypeError`, because an amount may come from a request. */
function assertAmount(amount = 1): void {
  if (Number.isSafeInteger(amount) && amount >= 1) return;
  throw new CodedError('VALIDATION_FAILED', 'The amount must be a positive whole number.', {
    issues: [{ path: ['amount'], code: 'invalid_amount', message: 'Expected a positive safe integer.' }],
  });
}

/** The receipts of a request's consumptions, by the keys of the entitlements. */
export class Receipts {
  readonly #receipts = new Map<string, readonly WalletReceipt[]>();

  add(key: string, receipt: WalletReceipt): void {
    this.remove(key, receipt);
    this.#receipts.set(key, [...(this.#receipts.get(key) ?? []), receipt]);
  }

  /** Returns the last receipt, without removing it. */
  last(key: string): WalletReceipt | undefined {
    return this.#receipts.get(key)?.at(-1);
  }

  remove(key: string, receipt: WalletReceipt): void {
    const receipts = this.#receipts.get(key) ?? [];
    this.#receipts.set(
      key,
      receipts.filter(({ id }) => id !== receipt.id),
    );
  }
}
