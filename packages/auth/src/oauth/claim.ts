import type { EventRecord, TransactionStores, UserRecord } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { proveEmail } from '../email-verification/prove-email.ts';
import { recordEvent } from '../event/record-event.ts';
import { recordRevocation } from '../event/record-revocation.ts';
import type { RequestContext } from '../request/request-context.ts';
import { toUser } from '../user/to-user.ts';
import { DisabledUser, OutdatedPlan, wrapHookErrors } from './failure.ts';
import type { SignInPlan, VerifiedIdentity } from './identity.ts';

/** A plan, and the identity it is for. */
export interface IdentityPlan {
  readonly plan: SignInPlan;
  readonly identity: VerifiedIdentity;
}

/**
 * Makes sure that an identity belongs to the user of the plan: creates the user, or takes the account away from
 * somebody who has not proven its address, and links the identity. Runs in the transaction of the sign-in.
 *
 * @returns the events it logged
 * @throws OutdatedPlan, DisabledUser; OAuthFailure `user_setup_failed`
 */
export async function claimIdentity(
  auth: AuthContext,
  stores: TransactionStores,
  { plan, identity }: IdentityPlan,
  request: RequestContext,
): Promise<readonly EventRecord[]> {
  switch (plan.kind) {
    case 'linked':
      return [];
    case 'matched':
      return matchUser(auth, stores, { user: plan.user, identity }, request);
    case 'new':
      return createUser(auth, stores, { plan, identity }, request);
  }
}

async function matchUser(
  auth: AuthContext,
  stores: TransactionStores,
  { user, identity }: { readonly user: UserRecord; readonly identity: VerifiedIdentity },
  request: RequestContext,
): Promise<readonly EventRecord[]> {
  const isUnproven = user.emailProvenAt === null;
  // The first step locks the user's row, so what is read after it does not change.
  const held = isUnproven ? await stores.users.setPassword(user.id, null) : await linkAndRead(stores, user, identity);
  if (held?.loginEmail !== identity.email || (held.emailProvenAt === null) !== isUnproven) throw new OutdatedPlan();
  if (held.disabledAt !== null) throw new DisabledUser();
  const about = { user, provider: identity.provider };
  const reclaimed = isUnproven ? await reclaimAccount(auth, stores, about, request) : [];
  if (isUnproven) await link(stores, user, identity);
  return [...reclaimed, await recordLink(stores, user, identity, request)];
}

async function linkAndRead(
  stores: TransactionStores,
  user: UserRecord,
  identity: VerifiedIdentity,
): Promise<UserRecord | null> {
  await link(stores, user, identity);
  return stores.users.findById(user.id);
}

async function createUser(
  auth: AuthContext,
  stores: TransactionStores,
  { plan, identity }: { readonly plan: SignInPlan & { readonly kind: 'new' }; readonly identity: VerifiedIdentity },
  request: RequestContext,
): Promise<readonly EventRecord[]> {
  const { provider } = identity;
  const created = await stores.users.create(plan.user);
  if (created === null) throw new OutdatedPlan();
  // Before the hooks, so that they run for only one of several concurrent sign-ins.
  await link(stores, created, identity);
  await wrapHookErrors(async () => {
    await auth.hooks.onUserCreated({ user: toUser(created, auth.config), provider }, { stores });
    if (identity.isEmailProven) await proveEmail(auth, stores, created);
  });
  return [await recordLink(stores, created, identity, request)];
}

async function link(
  stores: TransactionStores,
  { id: userId }: UserRecord,
  { provider, providerId, email }: VerifiedIdentity,
): Promise<void> {
  if ((await stores.oauthAccounts.link({ userId, provider, providerId, email })) !== 'linked') throw new OutdatedPlan();
}

function recordLink(
  stores: TransactionStores,
  { id: userId, tenantId }: UserRecord,
  { provider }: VerifiedIdentity,
  request: RequestContext,
): Promise<EventRecord> {
  return recordEvent(stores, { type: 'oauth_account.linked', userId, tenantId, detail: { provider } }, request);
}

/**
 * Hands an account with an unproven address to the user whom a trusted provider confirms as owner of the address.
 * Whoever signed up with it may be a squatter, so everything that would let them in again is removed before the owner
 * gets in.
 */
async function reclaimAccount(
  auth: AuthContext,
  stores: TransactionStores,
  { user, provider }: { readonly user: UserRecord; readonly provider: string },
  request: RequestContext,
): Promise<readonly EventRecord[]> {
  const about = { userId: user.id, tenantId: user.tenantId };
  const unlinked = await stores.oauthAccounts.removeAll(user.id);
  const ended = await stores.sessions.revokeAll(user.id);
  await stores.emailVerifications.remove(user.id);
  await stores.passwordResets.remove(user.id);
  const hadSecondFactor = await stores.mfa.remove(user.id);
  await wrapHookErrors(() => proveEmail(auth, stores, user));
  const detail = {
    provider,
    hadPassword: user.passwordHash !== null,
    hadSecondFactor,
    unlinked: unlinked.map((each) => each.provider),
  };
  return [
    await recordEvent(stores, { ...about, type: 'account.reclaimed', detail }, request),
    ...(await recordRevocation(stores, { ...about, ended, reason: 'account_reclaimed' }, request)),
  ];
}
