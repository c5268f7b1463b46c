import { CodedError } from '@x/errors';
import type { AuthContext } from '../auth-context.ts';
import { publishEvents, recordEvent } from '../event/record-event.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requireClaims, unauthenticated } from '../session/get-session.ts';

/**
 * Unlinks the caller's identities at a provider, even one that is no longer configured.
 *
 * @throws CodedError `UNAUTHENTICATED`; `NOT_FOUND` if there are none; `LAST_SIGN_IN_METHOD` if the caller could no
 * longer sign in
 */
export async function unlinkOAuthAccount(auth: AuthContext, provider: string, request: RequestContext): Promise<void> {
  const { sid } = await requireClaims(auth, request.headers);
  const event = await auth.stores.transaction(async (stores) => {
    const held = await stores.sessions.lockActive(sid);
    if (held === null) throw unauthenticated();
    assertUnlinked(await stores.oauthAccounts.unlink(held.user.id, provider));
    const about = { userId: held.user.id, tenantId: held.session.tenantId, sessionId: sid };
    return recordEvent(stores, { ...about, type: 'oauth_account.unlinked', detail: { provider } }, request);
  });
  publishEvents(auth, [event]);
}

function assertUnlinked(outcome: 'unlinked' | 'not_linked' | 'last_method'): void {
  if (outcome === 'not_linked') throw new CodedError('NOT_FOUND', 'No identity of this provider is linked.');
  if (outcome === 'last_method') {
    throw new CodedError(
      'LAST_SIGN_IN_METHOD',
      'This is the only way to sign in. Set a password or link another first.',
    );
  }
}
