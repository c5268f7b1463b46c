import type { NewUser, TransactionStores, UserRecord } from '@x/store';
import { proveEmail } from '../email/verification.ts';
import { recordEvent, type RecordedEvent } from '../events/events.ts';
import type { RequestContext } from '../request/request-context.ts';
import { toUser } from '../user/user.ts';
import { DisabledUser, OutdatedPlan, wrapHookErrors } from './failure.ts';
import type { SignInPlan, VerifiedIdentity } from './identity.ts';
import type { OAuthDependencies } from './oauth.ts';

/** A plan, and the identity it is for. */
export interface IdentityPlan {
  readonly plan: SignInPlan;
  readonly identity: VerifiedIdentity;
}

/**
 * Makes sure that an identity belongs to the user of the plan: creates the user if there is none, and links the
 * identity. Runs in the transaction of the sign-in.
 *
 * @returns the events it logged
 * @throws OutdatedPlan, DisabledUser; OAuthFailure `user_setup_failed`
 */
export async function claimIdentity(
  deps: OAuthDependencies,
  stores: TransactionStores,
  { plan, identity }: IdentityPlan,
  request: RequestContext,
): Promise<readonly RecordedEvent[]> {
  switch (plan.kind) {
    case 'linked':
      return [];
    case 'matched':
    case 'unproven':
      return linkMatched(stores, { plan, identity }, request);
    case 'new':
      return createUser(deps, stores, { user: plan.user, identity }, request);
  }
}

async function linkMatched(
  stores: TransactionStores,
  { plan, identity }: IdentityPlan,
  request: RequestContext,
): Promise<readonly RecordedEvent[]> {
  await link(stores, plan.user, identity);
  // Linking has locked the user's row, so its values no longer change from here on.
  const user = requireCurrent(await stores.users.findById(plan.user.id), identity);
  return [await recordLink(stores, { user, owner: user, identity }, request)];
}

/** @param locked - the user of the plan as read since their row is locked; null if they are gone */
function requireCurrent(locked: UserRecord | null, identity: VerifiedIdentity): UserRecord {
  if (locked?.loginEmail !== identity.email) throw new OutdatedPlan();
  if (locked.disabledAt !== null) throw new DisabledUser();
  // It has to be reclaimed first.
  if (locked.emailProvenAt === null) throw new OutdatedPlan();
  return locked;
}

async function createUser(
  deps: OAuthDependencies,
  stores: TransactionStores,
  { user, identity }: { readonly user: NewUser; readonly identity: VerifiedIdentity },
  request: RequestContext,
): Promise<readonly RecordedEvent[]> {
  const { provider } = identity;
  const created = await stores.users.create(user);
  if (created === null) throw new OutdatedPlan();
  // Before the hooks, so that they run for only one of several concurrent sign-ins.
  await link(stores, created, identity);
  await wrapHookErrors(async () => {
    await deps.hooks.onUserCreated({ user: toUser(created, deps.config), provider }, { stores });
    if (identity.isEmailProven) await proveEmail(deps.emails, stores, created);
  });
  return [await recordLink(stores, { user: created, owner: null, identity }, request)];
}

async function link(
  stores: TransactionStores,
  { id: userId }: Pick<UserRecord, 'id'>,
  { provider, providerId, email }: VerifiedIdentity,
): Promise<void> {
  if ((await stores.oauthAccounts.link({ userId, provider, providerId, email })) !== 'linked') throw new OutdatedPlan();
}

function recordLink(
  stores: TransactionStores,
  linked: { readonly user: UserRecord; readonly owner: UserRecord | null; readonly identity: VerifiedIdentity },
  request: RequestContext,
): Promise<RecordedEvent> {
  const { user, owner, identity } = linked;
  const about = { userId: user.id, tenantId: user.tenantId, owner };
  return recordEvent(
    stores,
    { ...about, type: 'oauth_account.linked', detail: { provider: identity.provider } },
    request,
  );
}
