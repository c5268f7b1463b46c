import type {
  AuthenticationMethod,
  Cause,
  CreatedSession,
  NewSession,
  SessionId,
  SessionRecord,
  SessionTerms,
  TransactionStores,
  UserRecord,
} from '@x/store';
import { isDeepStrictEqual } from 'node:util';
import { randomToken } from '../crypto/random.ts';
import { EventLog, logEvent } from '../events/events.ts';
import { type RequestContext, userAgentOf } from '../request/request-context.ts';
import { isRefusal } from '../user/hooks.ts';
import { toUser, withTenantOf } from '../user/user.ts';
import {
  claimsBeforeHooks,
  currentClaims,
  extraClaims,
  type ExtraClaims,
  issueTokens,
  type SignedIn,
  toClaimSubject,
} from './issue.ts';
import { hashRefreshToken } from './refresh-token.ts';
import type { SessionDependencies } from './session.ts';

/** A session that is ready to be stored, and the tokens for the browser. */
export interface PreparedSession {
  readonly session: NewSession;
  /** The user that the tokens were prepared for. */
  readonly user: UserRecord;
  readonly claims: ExtraClaims;
  readonly refreshToken: string;
  readonly signedIn: SignedIn;
  readonly plan: SessionPlan;
  readonly request: RequestContext;
}

/**
 * Asks the app whether a user who has proven who they are may sign in, and logs a refusal. Call it once for a request,
 * outside of transactions.
 *
 * @throws CodedError `FORBIDDEN` if they may not; Error if the app's hook fails
 */
export async function assertMaySignIn(
  deps: Pick<SessionDependencies, 'config' | 'stores' | 'events' | 'hooks'>,
  { user, provider }: { readonly user: UserRecord; readonly provider: string | null },
  request: RequestContext,
): Promise<void> {
  try {
    await deps.hooks.beforeSignIn({ user: toUser(user, deps.config), provider }, request);
  } catch (error) {
    if (isRefusal(error)) {
      const detail = { ...(provider !== null && { provider }), refused: error.extras.reason ?? true };
      const event = { type: 'sign_in.failed', userId: user.id, tenantId: user.tenantId, detail } as const;
      await logEvent(deps, event, request);
    }
    throw error;
  }
}

/**
 * Prepares a new session of a user, including its signed tokens. It takes over nothing that the request presents.
 *
 * Everything that can fail or takes long happens here: the app's claims, the size of the cookies, the signature. None
 * of it belongs in a transaction, where others would wait for it.
 */
export async function prepareSession(
  deps: SessionDependencies,
  user: UserRecord,
  request: RequestContext,
  plan: SessionPlan,
): Promise<PreparedSession> {
  const { authenticatedBy, isNewUser = false } = plan;
  const { refreshToken, ...tokenFields } = firstRefreshToken(deps);
  const now = deps.stores.clock.now();
  const secondFactorAt = authenticatedBy === 'code' ? now : null;
  const session: NewSession = {
    ...tokenFields,
    userId: user.id,
    ipAddress: request.ipAddress,
    userAgent: userAgentOf(request),
    secondFactorAt,
    authenticatedAt: now,
    authenticatedBy,
    expiresAt: new Date(now.getTime() + deps.config.session.refreshTtl),
  };
  const subject = { user, secondFactorAt };
  const claims = await (isNewUser ? claimsBeforeHooks(deps, subject) : extraClaims(deps, subject));
  const inTenant = { ...session, tenantId: user.tenantId, ver: 0 };
  const signedIn = await issueTokens(deps, { user, session: inTenant, refreshToken, claims });
  return { session, user, claims, refreshToken, signedIn, plan, request };
}

/** The facts about a session other than its user. */
interface SessionPlan {
  /** By `code` if a second factor was verified, after any first factor. */
  readonly authenticatedBy: AuthenticationMethod;
  /** The provider of the first factor; null if it was a password. */
  readonly provider: string | null;
  /**
   * Whether the user is created together with it. The app's hooks run then before it is stored, and decide which access
   * the user has, so that is not known yet. Default false.
   */
  readonly isNewUser?: boolean;
}

type FirstRefreshToken = Pick<SessionRecord, 'id' | 'refreshSalt' | 'refreshTokenHash'> & { refreshToken: string };

function firstRefreshToken({ refreshTokens }: Pick<SessionDependencies, 'refreshTokens'>): FirstRefreshToken {
  const id = crypto.randomUUID() as SessionId;
  const refreshSalt = randomToken();
  const refreshToken = refreshTokens.derive({ sessionId: id, generation: 0, salt: refreshSalt });
  return { id, refreshSalt, refreshToken, refreshTokenHash: hashRefreshToken(id, refreshToken) };
}

/** How many active sessions a user may have; beyond that the oldest are ended. */
const maxActiveSessions = 50;

/** The conditions for storing a session, and the cause that is logged. */
interface StoreTerms extends Pick<SessionTerms, 'expectedPasswordHash'> {
  readonly cause: Cause;
}

/**
 * Stores a prepared session in the caller's transaction, which should have nothing else to wait for.
 *
 * Null if the user is gone or disabled, or no longer has the password that was verified.
 */
export function storeSession(
  stores: TransactionStores,
  { session }: PreparedSession,
  { cause, ...terms }: StoreTerms,
): Promise<CreatedSession | null> {
  return stores.sessions.create(session, { maxActive: maxActiveSessions, ...terms }, cause);
}

/**
 * Finishes a sign-in after the commit of its session: returns the prepared tokens, or new ones if the user has changed
 * since they were prepared. For a new user, the stored timestamps and the access set are only known now, so their
 * tokens are signed twice. The app's hook `afterSignIn` runs after the response.
 */
export async function completeSignIn(
  deps: SessionDependencies,
  prepared: PreparedSession,
  stored: CreatedSession,
): Promise<SignedIn> {
  const user = toUser(withTenantOf(stored.session, stored.user), deps.config);
  const isComplete = deps.accessSet === null || prepared.claims.access !== null;
  const isCurrent = isComplete && isDeepStrictEqual(user, prepared.signedIn.user);
  const signedIn = isCurrent ? prepared.signedIn : await reissue(deps, prepared, stored);
  const { provider, isNewUser = false } = prepared.plan;
  void deps.hooks.afterSignIn({ user: signedIn.user, provider, isNewUser }, prepared.request);
  return signedIn;
}

/** Issues new tokens; if that fails, revokes the stored session, which no client could use. */
async function reissue(
  deps: SessionDependencies,
  { user: preparedFor, claims: prepared, refreshToken, request }: PreparedSession,
  { user, session }: CreatedSession,
): Promise<SignedIn> {
  try {
    const subject = toClaimSubject(session, user);
    const claims = await currentClaims(deps, subject, { user: preparedFor, claims: prepared });
    return await issueTokens(deps, { user, session, refreshToken, claims });
  } catch (error) {
    const log = new EventLog(request);
    await deps.stores.sessions.revoke(session.id, log.cause({ reason: 'sign_in_failed' }));
    log.publish(deps.events);
    throw error;
  }
}
