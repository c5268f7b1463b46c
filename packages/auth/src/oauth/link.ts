import { CodedError } from '@x/errors';
import type { TransactionStores, UserRecord } from '@x/store';
import { proveEmail } from '../email/verification.ts';
import { aboutSession, loggedTransaction } from '../events/events.ts';
import type { RequestContext } from '../request/request-context.ts';
import { withFreshProof } from '../mfa/proof.ts';
import { requireRefreshToken } from '../session/require-refresh-token.ts';
import { loadActiveSession, requireJwtSession } from '../session/session.ts';
import { OAuthFailure, wrapHookErrors } from './failure.ts';
import type { VerifiedIdentity } from './identity.ts';
import type { OAuthDependencies } from './oauth.ts';
import type { FlowState } from './state.ts';

/**
 * Links an identity to the user who requested that, provided that the session of the request is still active.
 * Linking an identity that is already theirs changes nothing. If a trusted provider vouches for the address that they
 * sign in with, that address is proven.
 *
 * @throws OAuthFailure `account_already_linked` if it is another user's; `invalid_state` if the session has ended;
 * `user_setup_failed`
 */
export async function linkIdentity(
  deps: OAuthDependencies,
  identity: VerifiedIdentity,
  link: NonNullable<FlowState['link']>,
  request: RequestContext,
): Promise<void> {
  await loggedTransaction(deps, request, async (stores, log) => {
    const locked = await stores.sessions.lockActive(link.sessionId);
    if (locked?.user.id !== link.userId)
      throw new OAuthFailure('invalid_state', 'the session that requested it has ended');
    const { provider, providerId, email } = identity;
    const outcome = await stores.oauthAccounts.link({ userId: link.userId, provider, providerId, email });
    const { user } = locked;
    const about = aboutSession(locked);
    const detail = { provider };
    if (outcome === 'linked') await log.append(stores, { ...about, type: 'oauth_account.linked', detail, owner: user });
    else await assertOwn(stores, identity, link);
    if (!provesOwnEmail(identity, user)) return;
    const { tenantId, sessionId } = about;
    const cause = log.cause({ tenantId, sessionId, detail });
    await wrapHookErrors(() => proveEmail(deps.emails, stores, { user, cause }));
  });
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
  throw new OAuthFailure('account_already_linked', 'the identity is linked to another account');
}

/** An identity that its owner can sign in with. */
export interface OwnOAuthAccount {
  readonly provider: string;
  readonly providerId: string;
  /** The address that the provider gave when it was linked. */
  readonly email: string | null;
}

/** Lists the identities of the caller. */
export async function listOAuthAccounts(
  deps: OAuthDependencies,
  { headers }: RequestContext,
): Promise<readonly OwnOAuthAccount[]> {
  const { sid } = await requireJwtSession(deps.sessions, headers);
  const { user } = await loadActiveSession(deps.sessions, sid);
  const accounts = await deps.stores.oauthAccounts.list(user.id);
  return accounts.map(({ provider, providerId, email }) => ({ provider, providerId, email }));
}

/**
 * Unlinks the caller's identities at a provider, even one that is no longer configured.
 *
 * @throws CodedError `SESSION_EXPIRED`, `STEP_UP_REQUIRED`; `NOT_FOUND` if there are none; `LAST_SIGN_IN_METHOD` if the
 * caller could no longer sign in
 */
export async function unlinkOAuthAccount(
  deps: OAuthDependencies,
  provider: string,
  request: RequestContext,
): Promise<void> {
  const caller = await requireRefreshToken(deps.sessions, request);
  await withFreshProof(deps.mfa, { caller, proof: {} }, request, async ({ stores, log }, locked) => {
    assertUnlinked(await stores.oauthAccounts.unlink(locked.user.id, provider));
    const about = { ...aboutSession(locked), owner: locked.user };
    await log.append(stores, { ...about, type: 'oauth_account.unlinked', detail: { provider } });
  });
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
