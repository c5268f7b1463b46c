import type { EventRecord, TransactionStores } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { publishEvents, recordEvent } from '../event/record-event.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { FlowState } from './flow-state.ts';
import { OAuthFailure } from './oauth-failure.ts';
import type { VerifiedIdentity } from './verify-identity.ts';

/**
 * Links an identity to the user who asked for it, as long as the session in which they did goes on. An identity that is
 * theirs already stays theirs.
 *
 * @throws OAuthFailure `account_already_linked` where it is somebody else's; `invalid_state` where the session is over
 */
export async function linkIdentity(
  auth: AuthContext,
  identity: VerifiedIdentity,
  link: NonNullable<FlowState['link']>,
  request: RequestContext,
): Promise<void> {
  const events = await auth.stores.transaction(async (stores) => {
    const held = await stores.sessions.holdActive(link.sessionId);
    if (held?.user.id !== link.userId) throw new OAuthFailure('invalid_state', 'the session that asked is over');
    const { provider, providerId, email } = identity;
    const outcome = await stores.oauthAccounts.link({ userId: link.userId, provider, providerId, email });
    if (outcome !== 'linked') return assertOwn(stores, identity, link);
    const about = { userId: link.userId, tenantId: held.session.tenantId, sessionId: link.sessionId };
    return [await recordEvent(stores, { ...about, type: 'oauth_account.linked', detail: { provider } }, request)];
  });
  publishEvents(auth, events);
}

async function assertOwn(
  stores: TransactionStores,
  { provider, providerId }: VerifiedIdentity,
  { userId }: NonNullable<FlowState['link']>,
): Promise<readonly EventRecord[]> {
  if ((await stores.oauthAccounts.findUserId(provider, providerId)) === userId) return [];
  throw new OAuthFailure('account_already_linked', 'the identity is linked to somebody else');
}
