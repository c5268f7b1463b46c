import type { Awaitable } from '@x/errors';
import type { TransactionStores } from '@x/store';
import { setTimeout as pause } from 'node:timers/promises';
import type { EventDependencies } from '../events/events.ts';
import type { NoFields, UserFields } from '../user/fields.ts';
import type { User } from '../user/user.ts';
import { canonicalizeEmail } from './canonicalize-email.ts';

/**
 * Mails a token to `user.email`, in a link to a page of the app. Called after the response, with a time limit of 30 s;
 * errors are logged. The token is secret.
 */
export type SendToken<Fields extends UserFields = NoFields> = (user: User<Fields>, token: string) => Awaitable<void>;

/** How long the app may take for one mail before it is given up, in milliseconds. */
const deliveryMs = 30_000;

/**
 * A head start for the response to leave the process, in milliseconds. The work shares its thread, so starting at once
 * would delay the response, which would reveal that there is a mail. One iteration of the event loop is not enough.
 */
const headStartMs = 10;

/**
 * Lets the app send a mail after the response, which neither waits for it nor reveals the outcome. A shutdown waits for
 * it. Errors are logged under `mail`.
 */
export function deliver(
  deps: Pick<EventDependencies, 'background' | 'logger'>,
  mail: string,
  send: () => Awaitable<void>,
): void {
  deps.background.add(
    withTimeout(send).catch((err: unknown) => deps.logger.error({ err, mail }, 'a mail could not be handed over')),
  );
}

async function withTimeout(send: () => Awaitable<void>): Promise<void> {
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(() => over.reject(new Error(`It took over ${deliveryMs} ms.`)), deliveryMs);
  try {
    await Promise.race([pause(headStartMs).then(send), over.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Says whether an address may get one more mail that another user caused, and counts it. The limit is ten an hour for
 * all causes together. Ask before each such mail of an app, for example an invitation, and if it may not be sent,
 * respond as if it had been. Mails of auth that verify an address or reset a password have limits of their own.
 *
 * @param to - any spelling of the address; false if it is none
 * @throws CodedError `SERVICE_UNAVAILABLE` if the mail can't be counted
 */
export async function allowMail({ rateLimits }: Pick<TransactionStores, 'rateLimits'>, to: string): Promise<boolean> {
  const address = canonicalizeEmail(to);
  return address !== null && (await rateLimits.check(`mail:${address}`, mailsAnHour, 3_600_000)).allowed;
}

/** How many mails others may cause to one address. */
const mailsAnHour = 10;
