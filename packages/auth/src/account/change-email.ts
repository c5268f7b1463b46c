import { z } from 'zod';
import type { AuthContext } from '../auth-context.ts';
import { requireVerification } from '../email-verification/require-verification.ts';
import { type StartedVerification, startVerification } from '../email-verification/start-verification.ts';
import { publishEvents } from '../event/record-event.ts';
import { consumeAttempt } from '../limits/consume-attempt.ts';
import { deliver } from '../mail/deliver.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requireClaims, unauthenticated } from '../session/get-session.ts';
import { toUser } from '../user/to-user.ts';
import { confirmPassword, passwordNotRight } from './confirm-password.ts';
import { email, password } from './credentials.ts';

/** The address that an account is to have, and who says so. */
export interface EmailChange {
  /** Any spelling of the address. */
  readonly email: string;
  readonly password: string;
}

/**
 * Asks for another address, which becomes the caller's when it proves itself by the token that is sent there. The old
 * address is told of it. Nobody learns whether somebody else has the new one: it gets no mail then, and all else is the same.
 *
 * @throws CodedError `UNAUTHENTICATED`, `VALIDATION_FAILED`, `RATE_LIMITED`; `INVALID_CREDENTIALS`
 */
export async function changeEmail(auth: AuthContext, input: unknown, request: RequestContext): Promise<void> {
  const { onChangeRequested } = requireVerification(auth);
  const claims = await requireClaims(auth, request.headers);
  const change = await parseInput(schema, input);
  await consumeAttempt(auth, { limit: 'password', key: claims.sub }, request);
  const verifiedHash = await confirmPassword(auth, claims, change.password, request);
  const { user, started } = await auth.stores.transaction(async (stores) => {
    const held = await stores.sessions.holdActive(claims.sid);
    if (held === null) throw unauthenticated();
    if (held.user.passwordHash !== verifiedHash) throw passwordNotRight();
    const wanted = { user: held.user, newEmail: change.email };
    return { user: held.user, started: await startVerification(auth, stores, wanted, request) };
  });
  publishEvents(auth, started.events);
  deliver(auth, 'email_change', () => sendUnlessTaken(auth, { userId: user.id, email: change.email, started }));
  deliver(auth, 'email_change_notice', () => onChangeRequested(toUser(user, auth.config), change.email));
}

const schema = z.strictObject({ email, password });

/** After the answer, so that it takes as long either way. */
async function sendUnlessTaken(
  auth: AuthContext,
  change: { readonly userId: string; readonly email: string; readonly started: StartedVerification },
): Promise<void> {
  const holder = await auth.stores.users.findByLoginEmail(change.email);
  if (holder === null || holder.id === change.userId) change.started.sendMail();
}
