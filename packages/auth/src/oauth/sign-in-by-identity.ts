import { type EventRecord, storeUnavailable, type TransactionStores, type UserRecord } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { proveEmail } from '../email-verification/prove-email.ts';
import { publishEvents, recordEvent } from '../event/record-event.ts';
import type { RequestContext } from '../request/request-context.ts';
import { completeSignIn } from '../session/complete-sign-in.ts';
import type { SignedIn } from '../session/issue-tokens.ts';
import { type PreparedSession, prepareSession } from '../session/prepare-session.ts';
import { type StoredSession, storeSession } from '../session/store-session.ts';
import { toUser } from '../user/to-user.ts';
import { duringSetup } from './during-setup.ts';
import { OAuthFailure } from './oauth-failure.ts';
import { planSignIn, type SignInPlan } from './plan-sign-in.ts';
import { reclaimAccount } from './reclaim-account.ts';
import type { VerifiedIdentity } from './verify-identity.ts';

/** How often a sign-in is planned anew because others were faster: a second time does, unless the account is changed again. */
const maxAttempts = 5;

/**
 * Signs in whom an identity belongs to: the user whom it is linked to, or who holds the address that it proves, or a new one.
 * User, link, session and events commit together, or not at all.
 *
 * @throws OAuthFailure `email_required`, `user_setup_failed`; `provider_denied` where the user is disabled
 */
export async function signInByIdentity(
  auth: AuthContext,
  identity: VerifiedIdentity,
  request: RequestContext,
): Promise<SignedIn> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const plan = await planSignIn(auth.stores, identity);
    const prepared = await prepareSession(auth, toPreview(plan, auth.stores.clock.now()), request);
    const carried = await tryOut(auth, { plan, identity, prepared });
    if (carried === null) continue;
    publishEvents(auth, carried.events);
    return completeSignIn(auth, prepared, carried.stored);
  }
  throw storeUnavailable(new Error('The account was changed by others again and again.'));
}

/** Shows the user of a plan as they will be, as far as tokens speak of them. */
function toPreview({ kind, user }: SignInPlan, now: Date): UserRecord {
  return kind === 'new' ? { ...user, disabledAt: null, createdAt: now, updatedAt: now } : user;
}

/** A plan, and the session that is to come of it. */
interface Attempt {
  readonly plan: SignInPlan;
  readonly identity: VerifiedIdentity;
  readonly prepared: PreparedSession;
}

/** A plan that was carried out. */
interface CarriedOut {
  readonly stored: StoredSession;
  /** Beside those of the session. */
  readonly events: readonly EventRecord[];
}

/** Thrown where a plan does not fit any more, so that all of it is undone. */
class Outdated extends Error {
  override readonly name = 'Outdated';
}

async function tryOut(auth: AuthContext, attempt: Attempt): Promise<CarriedOut | null> {
  try {
    return await auth.stores.transaction((stores) => carryOut(auth, stores, attempt));
  } catch (error) {
    if (error instanceof Outdated) return null;
    if (error instanceof DisabledUser) await recordDisabled(auth, attempt);
    throw error;
  }
}

/** Told like somebody whom the provider does not let in. */
class DisabledUser extends OAuthFailure {
  constructor() {
    super('provider_denied', 'the user is disabled');
  }
}

async function recordDisabled(auth: AuthContext, { plan, identity, prepared }: Attempt): Promise<void> {
  const about = { userId: plan.user.id, tenantId: plan.user.tenantId };
  const event = { ...about, type: 'sign_in.failed', detail: { provider: identity.provider } } as const;
  publishEvents(auth, [await recordEvent(auth.stores, event, prepared.request)]);
}

async function carryOut(auth: AuthContext, stores: TransactionStores, attempt: Attempt): Promise<CarriedOut> {
  const events = await toItsUser(auth, stores, attempt);
  const { plan, identity, prepared } = attempt;
  const { provider, providerId } = identity;
  // A hook may have given the user a tenant.
  const user = await stores.users.findById(plan.user.id);
  const session = { ...prepared.session, tenantId: user?.tenantId ?? null };
  const eventType = plan.kind === 'new' ? 'user.created' : 'sign_in.succeeded';
  const stored = await storeSession(stores, { ...prepared, session }, { eventType, detail: { provider } });
  if (stored === null) throw user ? new DisabledUser() : new Outdated();
  // Asked once the session has taken the user's row: nobody unlinks the identity from here on.
  if ((await stores.oauthAccounts.findUserId(provider, providerId)) !== stored.user.id) throw new Outdated();
  return { stored, events };
}

/** Makes sure that the identity is the user's, and returns what was logged of it. */
async function toItsUser(
  auth: AuthContext,
  stores: TransactionStores,
  { plan, identity, prepared: { request } }: Attempt,
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
  // The first step takes the user's row: what is read after it stays.
  const held = isUnproven ? await stores.users.setPassword(user.id, null) : await linkAndRead(stores, user, identity);
  if (held?.loginEmail !== identity.email || (held.emailProvenAt === null) !== isUnproven) throw new Outdated();
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
  if (created === null) throw new Outdated();
  // Before the hooks, which then run for one of those who are at it at once.
  await link(stores, created, identity);
  await duringSetup(async () => {
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
  if ((await stores.oauthAccounts.link({ userId, provider, providerId, email })) !== 'linked') throw new Outdated();
}

function recordLink(
  stores: TransactionStores,
  { id: userId, tenantId }: UserRecord,
  { provider }: VerifiedIdentity,
  request: RequestContext,
): Promise<EventRecord> {
  return recordEvent(stores, { type: 'oauth_account.linked', userId, tenantId, detail: { provider } }, request);
}
