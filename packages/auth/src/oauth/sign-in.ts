import { type CreatedSession, type JsonObject, storeUnavailable, type UserRecord } from '@x/store';
import { reclaimAccount } from '../email/reclaim.ts';
import { logEvent, loggedTransaction, type LoggedStep } from '../events/events.ts';
import { type ChallengedSignIn, createChallenge } from '../mfa/challenge.ts';
import { hasSecondFactor } from '../mfa/mfa.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { SignedIn } from '../session/issue.ts';
import {
  assertMaySignIn,
  completeSignIn,
  type PreparedSession,
  prepareSession,
  storeSession,
} from '../session/start.ts';
import { toPreview } from '../user/new-user.ts';
import { toProfileFields } from '../user/field-values.ts';
import { claimIdentity, type IdentityPlan } from './claim.ts';
import { DisabledUser, OutdatedPlan, wrapHookErrors, wrapRefusal } from './failure.ts';
import { planSignIn, type SignInPlan, type VerifiedIdentity } from './identity.ts';
import { type OAuthDependencies, requireProvider } from './oauth.ts';

/**
 * Signs in the user of an identity: the one it is linked to, the one who has the address that it proves, or a new one.
 * User, link, session and events commit together, or not at all; an account whose address was never proven is reclaimed
 * before. A user with a second factor gets a challenge instead of a session.
 *
 * @param redirectTo - remembered by the challenge until the second factor is verified
 * @throws OAuthFailure `email_required`, `user_setup_failed`; `sign_in_refused` if the app refuses them;
 * `provider_denied` if the user is disabled
 */
export async function signInByIdentity(
  deps: OAuthDependencies,
  { identity, redirectTo }: { readonly identity: VerifiedIdentity; readonly redirectTo: string | null },
  request: RequestContext,
): Promise<SignedIn | ChallengedSignIn> {
  const asked = new Set<string>();
  let fields: Promise<JsonObject> | undefined;
  const newFields = (): Promise<JsonObject> => (fields ??= readNewFields(deps, identity));
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const plan = await planSignIn(deps, identity, newFields);
    const needsCode = await needsSecondFactor(deps, plan);
    if (!needsCode) await askApp(deps, { plan, identity, asked }, request);
    if (plan.kind === 'unproven' && plan.user.disabledAt === null) {
      // The person who signed up with the address need not be its owner, whom the trusted provider names.
      const reclaimed = { user: plan.user, provider: identity.provider };
      await wrapHookErrors(() => reclaimAccount(deps.emails, reclaimed, request));
      continue;
    }
    const prepared = needsCode ? null : await prepare(deps, { plan, identity }, request);
    const outcome = await tryPlan(deps, { plan, identity, prepared }, request);
    if (outcome === null) continue;
    if (outcome.opened) return completeSignIn(deps.sessions, outcome.opened.prepared, outcome.opened.stored);
    const first = { identity, ...(redirectTo !== null && { redirectTo }) };
    const challenged = await createChallenge(deps.mfa, outcome.user, first, request);
    // The second factor may have been turned off meanwhile.
    if (challenged !== null) return challenged;
  }
  throw storeUnavailable(new Error('The account was changed by others again and again: trying once more may do.'));
}

/** Returns the app's own fields of a new user, as far as the profile at the provider has them. */
function readNewFields(deps: OAuthDependencies, { provider, profile }: VerifiedIdentity): Promise<JsonObject> {
  const { mapProfile } = requireProvider(deps, provider).client.provider;
  return wrapHookErrors(async () => toProfileFields((await mapProfile?.(profile)) ?? {}, deps.config));
}

/** A second plan succeeds unless the account changes yet again. */
const maxAttempts = 5;

/** Says whether the session of a plan has to wait for a second factor. */
async function needsSecondFactor(deps: OAuthDependencies, plan: SignInPlan): Promise<boolean> {
  // A new user has none, and that of an account to be reclaimed is removed: it need not be its owner's.
  return plan.kind !== 'new' && plan.kind !== 'unproven' && hasSecondFactor(deps.mfa, deps.stores, plan.user.id);
}

/**
 * Asks the app whether the user of a plan may come in, once for each user: another plan may sign in another user. A new
 * user has another id in each plan, and is asked about once.
 */
async function askApp(
  deps: OAuthDependencies,
  { plan, identity, asked }: IdentityPlan & { readonly asked: Set<string> },
  request: RequestContext,
): Promise<void> {
  const { provider, isEmailProven } = identity;
  const { kind, user } = plan;
  const about = kind === 'new' ? 'new' : user.id;
  if (asked.has(about)) return;
  asked.add(about);
  if (kind === 'new') {
    const { email, fields } = user;
    await wrapRefusal(async () => deps.hooks.beforeSignUp({ email, fields, isEmailProven, provider }, request));
  } else if (user.disabledAt === null) {
    await wrapRefusal(() => assertMaySignIn(deps.sessions, { user, provider }, request));
  }
}

function prepare(
  deps: OAuthDependencies,
  { plan, identity }: IdentityPlan,
  request: RequestContext,
): Promise<PreparedSession> {
  const isNewUser = plan.kind === 'new';
  const user = isNewUser ? toPreview(plan.user, deps.stores.clock.now()) : plan.user;
  const { provider } = identity;
  return prepareSession(deps.sessions, user, request, { authenticatedBy: 'provider', provider, isNewUser });
}

/** A plan, and the session to store with it. */
interface Attempt extends IdentityPlan {
  readonly prepared: PreparedSession | null;
}

/** A plan that was carried out. */
interface PlanOutcome {
  readonly user: UserRecord;
  /** Null if a second factor is needed first. */
  readonly opened: { readonly prepared: PreparedSession; readonly stored: CreatedSession } | null;
}

async function tryPlan(
  deps: OAuthDependencies,
  attempt: Attempt,
  request: RequestContext,
): Promise<PlanOutcome | null> {
  try {
    return await loggedTransaction(deps, request, (stores, log) => executePlan(deps, { stores, log }, attempt));
  } catch (error) {
    if (error instanceof OutdatedPlan) return null;
    if (error instanceof DisabledUser) await recordDisabled(deps, attempt, request);
    throw error;
  }
}

async function recordDisabled(
  deps: OAuthDependencies,
  { plan, identity }: Attempt,
  request: RequestContext,
): Promise<void> {
  const about = { userId: plan.user.id, tenantId: plan.user.tenantId };
  const event = { ...about, type: 'sign_in.failed', detail: { provider: identity.provider } } as const;
  await logEvent(deps, event, request);
}

async function executePlan(
  deps: OAuthDependencies,
  { stores, log }: LoggedStep,
  { plan, identity, prepared }: Attempt,
): Promise<PlanOutcome> {
  await claimIdentity(deps, { stores, log }, { plan, identity, sessionId: prepared?.session.id ?? null });
  const user = await stores.users.findById(plan.user.id);
  if (user === null) throw new OutdatedPlan();
  if (user.disabledAt !== null) throw new DisabledUser();
  const stored = prepared && (await storePlannedSession(deps, { stores, log }, { plan, identity, prepared, user }));
  // Checked after storing the session has locked the user's row: from here on, the identity can't be unlinked.
  const { provider, providerId } = identity;
  if ((await stores.oauthAccounts.findUserId(provider, providerId)) !== user.id) throw new OutdatedPlan();
  return { user, opened: prepared && stored && { prepared, stored } };
}

async function storePlannedSession(
  deps: OAuthDependencies,
  { stores, log }: LoggedStep,
  { plan, identity, prepared, user }: Attempt & { readonly prepared: PreparedSession; readonly user: UserRecord },
): Promise<CreatedSession> {
  const cause = log.cause({ detail: { provider: identity.provider }, isImplied: plan.kind === 'new' });
  const stored = await storeSession(stores, prepared, { cause });
  // The user was deleted or disabled, or has turned on a second factor since the plan was made; the next plan takes
  // that into account.
  if (stored === null || (await hasSecondFactor(deps.mfa, stores, user.id))) throw new OutdatedPlan();
  return stored;
}
