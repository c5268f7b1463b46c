import { setTimeout as pause } from 'node:timers/promises';
import type { AuthContext } from '../auth-context.ts';

/** How long the app may take over one mail before nobody waits for it any more, in milliseconds. */
const deliveryMs = 30_000;

/**
 * What the answer has to leave the process, in milliseconds. Beside it on the one thread, the work would lengthen the answer, and
 * tell by that whether there is a mail. One turn of the event loop is not enough for that.
 */
const headStartMs = 10;

/**
 * Has the app send a mail after the answer, which neither waits for it nor shows how it went. A stop of the server waits
 * for it. What goes wrong is logged under `mail`.
 */
export function deliver(
  auth: Pick<AuthContext, 'background' | 'logger'>,
  mail: string,
  send: () => void | Promise<void>,
): void {
  auth.background.add(
    inTime(send).catch((err: unknown) => auth.logger.error({ err, mail }, 'a mail could not be handed over')),
  );
}

async function inTime(send: () => void | Promise<void>): Promise<void> {
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(() => over.reject(new Error(`It took over ${deliveryMs} ms.`)), deliveryMs);
  try {
    await Promise.race([pause(headStartMs).then(send), over.promise]);
  } finally {
    clearTimeout(timer);
  }
}
