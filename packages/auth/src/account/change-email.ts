import { z } from 'zod';
import type { AuthContext } from '../auth-context.ts';
import { requireVerification } from '../email-verification/require-verification.ts';
import { type StartedVerification, startVerification } from '../email-verification/start-verification.ts';
import { deliver } from '../mail/deliver.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requireClaims } from '../session/read.ts';
import { toUser } from '../user/to-user.ts';
import { asOwner, eitherProof, exactlyOneProof, type OwnerProof, proofFields } from '../mfa/owner-proof.ts';
import { email } from './credentials.ts';

/** The address that an account is to get, and the proof that its owner asks: exactly one of password and code. */
export interface EmailChange extends OwnerProof {
  /** Any spelling of the address. */
  readonly email: string;
}

/**
 * Requests another address for the caller. It becomes theirs once it is verified with the token that is mailed to it;
 * the old address is notified. Whether somebody else has the new address is not revealed: it gets no mail then, and
 * everything else is the same. An address that is already the caller's is verified again.
 *
 * @throws CodedError `UNAUTHENTICATED`, `VALIDATION_FAILED`, `RATE_LIMITED`; `INVALID_CREDENTIALS`
 */
export async function changeEmail(auth: AuthContext, input: unknown, request: RequestContext): Promise<void> {
  const { onChangeRequested } = requireVerification(auth);
  const claims = await requireClaims(auth, request.headers);
  const { email: wanted, ...proof } = await parseInput(emailChangeInput, input);
  const { user, newEmail, started } = await asOwner(auth, { claims, proof }, request, async (stores, { user }) => {
    const newEmail = user.loginEmail === wanted ? null : wanted;
    const started = await startVerification(auth, stores, { user, newEmail }, request);
    return { outcome: { user, newEmail, started }, events: started.events };
  });
  if (newEmail === null) return started.sendMail();
  deliver(auth, 'email_change', () => sendUnlessTaken(auth, { email: newEmail, started }));
  deliver(auth, 'email_change_notice', () => onChangeRequested(toUser(user, auth.config), newEmail));
}

/** The input of {@link changeEmail}. */
export const emailChangeInput: z.ZodType<EmailChange> = z
  .strictObject({ email, ...proofFields })
  .check(exactlyOneProof)
  .meta(eitherProof);

/** Runs after the response, so that the response takes equally long in both cases. */
async function sendUnlessTaken(
  auth: AuthContext,
  { email, started }: { readonly email: string; readonly started: StartedVerification },
): Promise<void> {
  if ((await auth.stores.users.findByLoginEmail(email)) === null) started.sendMail();
}
