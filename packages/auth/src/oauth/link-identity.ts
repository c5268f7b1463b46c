import type { EventRecord, TransactionStores, UserRecord } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { proveEmail } from '../email-verification/prove-email.ts';
import { publishEvents, recordEvent } from '../event/record-event.ts';
import type { RequestContext } from '../request/request-context.ts';
import { OAuthFailure, wrapHookErrors } from './failure.ts';
import type { FlowState } from './flow-state.ts';
import type { VerifiedIdentity } from './verify-identity.ts';

/**
 * Links an identity to the user who asked for it, provided that the session in which they asked is still active.
 * Linking an identity that is already theirs changes nothing. If a trusted provider vouches for the address that they
 * sign in with, that address is proven.
 *
 * @throws OAuthFailure `account_already_linked` if it is somebody else's; `invalid_state` if the session has ended;
 * `user_setup_failed`
 */
export async function linkIdentity(
  auth: AuthContext,
  identity: VerifiedIdentity,
  link: NonNullable<FlowState['link']>,
  request: RequestContext,
): Promise<void> {
  const recorded = await auth.stores.transaction(async (stores) => {
    const events: EventRecord[] = [];
    const held = await stores.sessions.lockActive(link.sessionId);
    if (held?.user.id !== link.userId) throw new OAuthFailure('invalid_state', 'the session that asked is over');
    const { provider, providerId, email } = identity;
    const outcome = await stores.oauthAccounts.link({ userId: link.userId, provider, providerId, email });
    const about = { userId: link.userId, tenantId: held.session.tenantId, sessionId: link.sessionId };
    const detail = { provider };
    const linked = { ...about, type: 'oauth_account.linked', detail } as const;
    if (outcome === 'linked') events.push(await recordEvent(stores, linked, request));
    else await assertOwn(stores, identity, link);
    if (!provesOwnEmail(identity, held.user)) return events;
    await wrapHookErrors(() => proveEmail(auth, stores, held.user));
    return [...events, await recordEvent(stores, { ...about, type: 'email.verified', detail }, request)];
  });
  publishEvents(auth, recorded);
}

/** Says whether it is the address that the user signs in with, and that has not been proven before. */
function provesOwnEmail({ email, isEmailProven }: VerifiedIdentity, user: UserRecord): boolean {
  return isEmailProven && user.loginEmail === email && user.emailProvenAt === null;
}

async function assertOwn(
  stores: TransactionStores,
  { provider, providerId }: VerifiedIdentity,
  { userId }: NonNullable<FlowState['link']>,
): Promise<void> {
  if ((await stores.oauthAccounts.findUserId(provider, providerId)) === userId) return;
  throw new OAuthFailure('account_already_linked', 'the identity is linked to somebody else');
}
