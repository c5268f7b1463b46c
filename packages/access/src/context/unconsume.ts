import type { WalletReceipt, WalletStore } from '@x/store';
import type { AccessQuestion, LayerContext } from '../layer/layer.ts';
import { readTenantState } from '../layer/tenant-state.ts';
import { assertAmount } from './consume.ts';

/** What to take back. */
export interface Unconsumption {
  readonly receipt: WalletReceipt | undefined;
  /** Used without a receipt; null if the entitlement or resource is not defined. */
  readonly question: AccessQuestion | null;
  readonly amount: number | undefined;
}

/**
 * Takes back the consumption of a receipt, or without one credits the current periods. Returns false if there was
 * nothing to take back.
 */
export async function unconsume(
  { receipt, question, amount = 1 }: Unconsumption,
  context: LayerContext,
  wallets: Pick<WalletStore, 'unconsume' | 'credit'> | undefined,
): Promise<boolean> {
  assertAmount(amount);
  if (!wallets) return false;
  const isTakenBack = receipt ? await wallets.unconsume(receipt) : await credit(question, amount, context, wallets);
  context.reads.forgetCounters();
  return isTakenBack;
}

async function credit(
  question: AccessQuestion | null,
  amount: number,
  context: LayerContext,
  wallets: Pick<WalletStore, 'credit'>,
): Promise<boolean> {
  if (!question?.entitlement.isLimited) return false;
  const state = await readTenantState(question, context);
  if (!state || state.limits.length === 0) return false;
  await wallets.credit(
    state.tenantId,
    state.limits.map(({ limit, period }) => ({ limit: limit.name, periodStart: period.start, amount })),
  );
  return true;
}
