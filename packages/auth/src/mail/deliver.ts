import { setTimeout as pause } from 'node:timers/promises';
import type { AuthContext } from '../auth-context.ts';

/** How long the app may take for one mail before it is given up, in milliseconds. */
const deliveryMs = 30_000;

/**
 * A head start for the response to leave the process, in milliseconds. The work shares its thread, so starting at once
 * would delay the response, which would reveal that there is a mail. One turn of the event loop is not enough.
 */
const headStartMs = 10;

/**
 * Lets the app send a mail after the response, which neither waits for it nor reveals the outcome. A shutdown waits for
 * it. Errors are logged under `mail`.
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
