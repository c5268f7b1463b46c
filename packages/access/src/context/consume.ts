import { CodedError } from '@x/errors';
import type { WalletReceipt, WalletStore } from '@x/store';
import type { ConditionRow } from '@x/store/where';
import { toAccessCheck, type AccessCheck } from '../decision/access-check.ts';
import type { AccessQuestion, LayerContext } from '../layer/layer.ts';
import { unmeteredLayers } from '../layer/layers.ts';
import { readTenantState, toUsage, type TenantState } from '../layer/tenant-state.ts';

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

/** Consumes from all limits of an entitlement if no layer denies it; otherwise the wallet is not touched. */
export async function consume(
  question: AccessQuestion,
  { amount = 1, idempotencyKey }: Omit<ConsumeOptions, 'row'>,
  context: LayerContext,
  wallets: Pick<WalletStore, 'consume'> | undefined,
): Promise<ConsumeResult> {
  const [state, ...denials] = await Promise.all([
    question.entitlement.isLimited ? readTenantState(question, context) : null,
    ...unmeteredLayers.map(async (layer) => layer.findDenial(question, context)),
  ]);
  const check = toAccessCheck(denials);
  if (!check.allowed || !state || state.limits.length === 0) return { ...check, receipt: null };
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
    ...(idempotencyKey !== undefined && { idempotencyKey: toScopedKey(question, idempotencyKey, context) }),
  });
  context.reads.forgetCounters();
  if (outcome.outcome === 'refused') return toRefused(state, outcome.refusedBy, outcome.consumed);
  assertSameAmount(outcome.receipt, amount);
  return { ...check, receipt: outcome.receipt };
}

/**
 * @throws CodedError `VALIDATION_FAILED`, not TypeError: an amount may come from a request
 *
 * @throws CodedError `VALIDATION_FAILED`: an amount may come from a request
 */
export function assertAmount(amount: number): void {
  if (Number.isSafeInteger(amount) && amount >= 1) return;
  throw new CodedError('VALIDATION_FAILED', 'The amount must be a positive whole number.', {
    issues: [{ path: ['amount'], code: 'invalid_amount', message: 'Expected a positive safe integer.' }],
  });
}

function refuseDisabled(state: TenantState): ConsumeResult {
  const disabled = state.limits.filter(({ limit }) => limit.max === 0).map(({ limit }) => limit.name);
  return disabled.length > 0
    ? toRefused(
        state,
        disabled,
        state.limits.map(() => 0),
      )
    : { ...toAccessCheck([]), receipt: null };
}

function toRefused(state: TenantState, refusedBy: readonly string[], consumed: readonly number[]): ConsumeResult {
  const index = state.limits.findIndex(({ limit }) => refusedBy.includes(limit.name));
  const refused = state.limits[index];
  const meta = refused ? { limit: toUsage(refused, consumed[index] ?? 0) } : {};
  return { ...toAccessCheck([{ reasons: ['limit_reached'], meta }]), receipt: null };
}

/** Scopes a key, so that it can never match another user's, nor one for another entitlement or resource. */
function toScopedKey({ entitlement, resource }: AccessQuestion, key: string, { caller }: LayerContext): string {
  return JSON.stringify([caller.userId, entitlement.name, resource?.type ?? null, resource?.id ?? null, key]);
}

/** A key stands for one consumption; repeating it with another amount is a mistake. */
function assertSameAmount({ entries }: WalletReceipt, amount: number): void {
  if (entries.every((entry) => entry.amount === amount)) return;
  throw new CodedError('CONFLICT', 'The idempotency key was used with another amount.');
}
