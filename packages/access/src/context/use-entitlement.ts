import type { Logger } from '@x/errors';
import { toAccessCheck } from '../decision/access-check.ts';
import type { LayerContext } from '../layer/layer.ts';
import { toCheckKey, type UnconsumeOptions } from './access-context.ts';
import type { AccessStores } from './access-sources.ts';
import { type Asked, toQuestion } from './asking.ts';
import { assertAmount, consume, type ConsumeOptions, type ConsumeResult } from './consume.ts';
import { notAuthenticated, notDefined } from './decide.ts';
import type { KeptReceipts } from './kept-receipts.ts';
import { unconsume } from './unconsume.ts';

/** What uses are counted with and taken back with, for one request. */
export interface UseParts {
  readonly context: LayerContext;
  readonly receipts: KeptReceipts;
  readonly wallets: AccessStores['walletStore'];
}

/** Consumes an entitlement if it is held, and keeps the receipt. */
export async function useEntitlement(
  { context, receipts, wallets }: UseParts,
  asked: Asked,
  how: Omit<ConsumeOptions, 'row'>,
): Promise<ConsumeResult> {
  assertAmount(how.amount ?? 1);
  if (context.caller.userId === null) return { ...toAccessCheck([notAuthenticated]), receipt: null };
  const question = await toQuestion(context, asked);
  if (!question) return { ...toAccessCheck([notDefined]), receipt: null };
  const result = await consume(question, how, context, wallets);
  if (result.receipt) receipts.add(toCheckKey(asked), result.receipt);
  return result;
}

/** Does the same, and says whether it did. If a store fails: false, and logged. */
export async function canUse(
  parts: UseParts,
  asked: Asked,
  how: Omit<ConsumeOptions, 'row'>,
  logger: Logger,
): Promise<boolean> {
  assertAmount(how.amount ?? 1);
  try {
    return (await useEntitlement(parts, asked, how)).allowed;
  } catch (err) {
    logger.error({ err, entitlement: asked.entitlement }, 'use could not be decided');
    return false;
  }
}

/** Takes a use back: that of the receipt, or else the last one, or else credits the current periods. */
export async function takeBack(
  { context, receipts, wallets }: UseParts,
  asked: Asked,
  { receipt, amount }: UnconsumeOptions,
): Promise<boolean> {
  const key = toCheckKey(asked);
  const last = receipt ?? receipts.last(key);
  const isSignedIn = context.caller.userId !== null;
  const question = last || !isSignedIn ? null : await toQuestion(context, asked);
  const isTakenBack = await unconsume({ receipt: last, question, amount }, context, wallets);
  if (last) receipts.remove(key, last);
  return isTakenBack;
}
