import { z } from 'zod';
import type { AuthContext } from '../auth-context.ts';
import { requireVerification } from '../email-verification/require-verification.ts';
import { type StartedVerification, startVerification } from '../email-verification/start-verification.ts';
import { deliver } from '../mail/deliver.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requireClaims } from '../session/get-session.ts';
import { toUser } from '../user/to-user.ts';
import { asOwner, exactlyOneProof, type OwnerProof, proofFields } from './confirm-owner.ts';
import { email } from './credentials.ts';

/** The address that an account is to have, and who says so: exactly one of password and code. */
export interface EmailChange extends OwnerProof {
  /** Any spelling of the address. */
  readonly email: string;
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
  const { email: newEmail, ...proof } = await parseInput(schema, input);
  const { user, started } = await asOwner(auth, { claims, proof }, request, async (stores, held) => {
    const verification = await startVerification(auth, stores, { user: held.user, newEmail }, request);
    return { outcome: { user: held.user, started: verification }, events: verification.events };
  });
  deliver(auth, 'email_change', () => sendUnlessTaken(auth, { userId: user.id, email: newEmail, started }));
  deliver(auth, 'email_change_notice', () => onChangeRequested(toUser(user, auth.config), newEmail));
}

const schema = z.strictObject({ email, ...proofFields }).check(exactlyOneProof);

/** After the answer, so that it takes as long either way. */
async function sendUnlessTaken(
  auth: AuthContext,
  change: { readonly userId: string; readonly email: string; readonly started: StartedVerification },
): Promise<void> {
  const holder = await auth.stores.users.findByLoginEmail(change.email);
  if (holder === null || holder.id === change.userId) change.started.sendMail();
}
