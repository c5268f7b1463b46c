import type { NewUser, SessionId, TransactionStores, UserRecord } from '@x/store';
import { proveEmail } from '../email/verification.ts';
import type { LoggedStep } from '../events/events.ts';
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
 * @throws OutdatedPlan, DisabledUser; OAuthFailure `user_setup_failed`
 */
export async function claimIdentity(
  deps: OAuthDependencies,
  inside: LoggedStep,
  { plan, identity, sessionId }: IdentityPlan & { readonly sessionId: SessionId | null },
): Promise<void> {
  switch (plan.kind) {
    case 'linked':
      return;
    case 'matched':
    case 'unproven':
      return linkMatched(inside, { plan, identity });
    case 'new':
      return createUser(deps, inside, { user: plan.user, identity, sessionId });
  }
}

async function linkMatched(inside: LoggedStep, { plan, identity }: IdentityPlan): Promise<void> {
  const { stores } = inside;
  await link(stores, plan.user, identity);
  // Linking has locked the user's row, so its values no longer change from here on.
  const user = requireCurrent(await stores.users.findById(plan.user.id), identity);
  await logLink(inside, { user, owner: user, identity });
}

/** @param locked - the user of the plan as read since their row is locked; null if they are gone */
function requireCurrent(locked: UserRecord | null, identity: VerifiedIdentity): UserRecord {
  if (locked?.loginEmail !== identity.email) throw new OutdatedPlan();
  if (locked.disabledAt !== null) throw new DisabledUser();
  // It has to be reclaimed first.
  if (locked.emailProvenAt === null) throw new OutdatedPlan();
  return locked;
}

/** A new user, and the session that starts with them, unless a second factor is needed first. */
interface NewIdentity {
  readonly user: NewUser;
  readonly identity: VerifiedIdentity;
  readonly sessionId: SessionId | null;
}

async function createUser(
  deps: OAuthDependencies,
  inside: LoggedStep,
  { user, identity, sessionId }: NewIdentity,
): Promise<void> {
  const { stores, log } = inside;
  const { provider } = identity;
  const cause = log.cause({ sessionId, detail: { provider } });
  const created = await stores.users.create(user, cause);
  if (created === null) throw new OutdatedPlan();
  // Before the hooks, so that they run for only one of several concurrent sign-ins.
  await link(stores, created, identity);
  await wrapHookErrors(async () => {
    await deps.hooks.onUserCreated({ user: toUser(created, deps.config), provider }, { stores });
    if (identity.isEmailProven) await proveEmail(deps.emails, stores, { user: created, cause });
  });
  await logLink(inside, { user: created, owner: null, identity });
}

async function link(
  stores: TransactionStores,
  { id: userId }: Pick<UserRecord, 'id'>,
  { provider, providerId, email }: VerifiedIdentity,
): Promise<void> {
  if ((await stores.oauthAccounts.link({ userId, provider, providerId, email })) !== 'linked') throw new OutdatedPlan();
}

/** A linked identity, its user, and whom to notify: the user before it, or null for a new one. */
interface LinkedIdentity {
  readonly user: UserRecord;
  readonly owner: UserRecord | null;
  readonly identity: VerifiedIdentity;
}

function logLink({ stores, log }: LoggedStep, { user, owner, identity }: LinkedIdentity): Promise<void> {
  const about = { userId: user.id, tenantId: user.tenantId, owner };
  return log.append(stores, { ...about, type: 'oauth_account.linked', detail: { provider: identity.provider } });
}
