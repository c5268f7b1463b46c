import { CodedError } from '@x/errors';
import { z } from 'zod';
import type { AuthContext } from '../auth-context.ts';
import { canonicalizeEmail } from '../email/canonicalize-email.ts';
import { publishEvents, recordEvent } from '../events/events.ts';
import { consumeAttempt } from '../limits/consume-attempt.ts';
import { deliver } from '../mail/deliver.ts';
import { createMailToken } from '../email/mail.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import { toUser } from '../user/to-user.ts';
import { requireReset } from '../password-reset/require-reset.ts';

/** The address of the account whose password was forgotten. */
export interface ForgottenPassword {
  /** Any spelling of the address; any text is accepted. */
  readonly email: string;
}

/**
 * Sends a token to the account that has the address, if there is one. The caller can't tell: the account is looked up
 * after the response, and the rate limit on the address does not show in the response either.
 *
 * @throws CodedError `VALIDATION_FAILED` if the address is not a text; `SERVICE_UNAVAILABLE` if the request can't be
 * counted
 */
export async function forgotPassword(auth: AuthContext, input: unknown, request: RequestContext): Promise<void> {
  requireReset(auth);
  const { email } = await parseInput(forgottenPasswordInput, input);
  const canonical = canonicalizeEmail(email);
  if (await isOverLimit(auth, canonical ?? noAddress, request)) return;
  if (canonical !== null) deliver(auth, 'password_reset', () => sendToken(auth, canonical, request));
}

/** The input of {@link forgotPassword}. */
export const forgottenPasswordInput: z.ZodType<ForgottenPassword> = z.strictObject({ email: z.string() });

/** All texts that are not an address are counted under this key. */
const noAddress = '-';

async function isOverLimit(auth: AuthContext, key: string, request: RequestContext): Promise<boolean> {
  try {
    await consumeAttempt(auth, { limit: 'forgot', key }, request);
    return false;
  } catch (error) {
    if (error instanceof CodedError && error.code === 'RATE_LIMITED') return true;
    throw error;
  }
}

/** Stores a token that replaces the previous one, and hands it to the app after the commit. */
async function sendToken(auth: AuthContext, email: string, request: RequestContext): Promise<void> {
  const { tokenTtl, onSend } = requireReset(auth);
  const user = await auth.stores.users.findByLoginEmail(email);
  if (user === null || user.disabledAt !== null) return;
  const { token, tokenHash } = createMailToken();
  const expiresAt = new Date(auth.stores.clock.now().getTime() + tokenTtl);
  const record = { userId: user.id, tokenHash, email: user.email, newEmail: null, expiresAt };
  const event = await auth.stores.transaction(async (stores) => {
    if (!(await stores.passwordResets.replace(record))) return null;
    const about = { userId: user.id, tenantId: user.tenantId };
    return recordEvent(stores, { ...about, type: 'password_reset.requested' }, request);
  });
  if (event === null) return;
  publishEvents(auth, [event]);
  await onSend(toUser(user, auth.config), token);
}
