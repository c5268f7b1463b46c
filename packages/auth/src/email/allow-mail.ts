import type { TransactionStores } from '@x/store';
import { canonicalizeEmail } from './canonicalize-email.ts';

const maxMails = 10;

const hourMs = 3_600_000;

/**
 * Says whether one more mail that somebody else caused may go to an address, and counts it: ten an hour, whoever and
 * whatever causes them. Ask before each such mail of an app, for example an invitation, and if it may not be sent,
 * respond as if it had been. Mails of auth that verify an address or reset a password have limits of their own.
 *
 * @param to - any spelling of the address; false if it is none
 * @throws CodedError `SERVICE_UNAVAILABLE` if the mail can't be counted
 */
export async function allowMail({ rateLimits }: Pick<TransactionStores, 'rateLimits'>, to: string): Promise<boolean> {
  const address = canonicalizeEmail(to);
  return address !== null && (await rateLimits.check(`mail:${address}`, maxMails, hourMs)).allowed;
}
