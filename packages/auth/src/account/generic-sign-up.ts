import type { EventRecord, NewUser, UserRecord } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { requireVerification } from '../email-verification/require-verification.ts';
import type { StartedVerification } from '../email-verification/start-verification.ts';
import { publishEvents, recordEvent } from '../events/events.ts';
import { deliver } from '../mail/deliver.ts';
import type { RequestContext } from '../request/request-context.ts';
import { toUser } from '../user/to-user.ts';
import { createUser, startFirstVerification } from './create-account.ts';

/** Says whether sign-up hides that an address has an account. */
export function isGenericSignUp({ config: { emailVerification } }: Pick<AuthContext, 'config'>): boolean {
  return emailVerification.enabled && emailVerification.genericSignUp;
}

/**
 * Says whether the password of an account cannot be used yet. If sign-up hides whether an address has an account, a
 * sign-in with the password just given would reveal it; so passwords work only once the address is verified.
 */
export function awaitsVerification(auth: Pick<AuthContext, 'config'>, { emailVerified }: UserRecord): boolean {
  return isGenericSignUp(auth) && !emailVerified;
}

/**
 * Creates an account without a session, or lets the app tell the owner of an existing one. Runs after the response,
 * which therefore takes equally long for both.
 */
export function signUpUnseen(auth: AuthContext, newUser: NewUser, request: RequestContext): void {
  deliver(auth, 'sign_up', async () => {
    const created = await createAccount(auth, newUser, request);
    if (created === null) return tellOwner(auth, newUser.email);
    publishEvents(auth, [created.event, ...(created.verification?.events ?? [])]);
    created.verification?.sendMail();
  });
}

interface CreatedAccount {
  readonly event: EventRecord;
  readonly verification: StartedVerification | null;
}

function createAccount(auth: AuthContext, newUser: NewUser, request: RequestContext): Promise<CreatedAccount | null> {
  return auth.stores.transaction(async (stores) => {
    const user = await createUser(auth, stores, newUser);
    if (user === null) return null;
    const about = { userId: user.id, tenantId: user.tenantId };
    const event = await recordEvent(stores, { ...about, type: 'user.created' }, request);
    return { event, verification: await startFirstVerification(auth, stores, user, request) };
  });
}

async function tellOwner(auth: AuthContext, email: string): Promise<void> {
  const owner = await auth.stores.users.findByLoginEmail(email);
  if (owner === null || owner.disabledAt !== null) return;
  await requireVerification(auth).onExistingSignUp(toUser(owner, auth.config));
}
