import type { NewSession, SessionId, SessionRecord, UserRecord } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { type RequestContext, userAgentOf } from '../request/request-context.ts';
import { claimsBeforeSetup, extraClaims, type ExtraClaims } from './extra-claims.ts';
import { issueTokens, type SignedIn } from './issue.ts';
import { hashRefreshToken } from './refresh-token.ts';

/** A session that is ready to be stored, and the tokens for the browser. */
export interface PreparedSession {
  readonly session: NewSession;
  /** The session as it will be stored, as far as its tokens depend on it. */
  readonly user: UserRecord;
  readonly claims: ExtraClaims;
  readonly refreshToken: string;
  readonly signedIn: SignedIn;
  readonly request: RequestContext;
}

/**
 * Prepares a new session of a user, including its signed tokens. It takes over nothing that the request presents.
 *
 * Everything that can fail or takes long happens here: the app's claims, the size of the cookies, the signature. None
 * of it belongs in a transaction, where others would wait for it.
 *
 * @param plan - the facts about the session other than its user
 */
export async function prepareSession(
  auth: AuthContext,
  user: UserRecord,
  request: RequestContext,
  { secondFactorAt = null, isSetUpLater = false }: SessionPlan = {},
): Promise<PreparedSession> {
  const { refreshToken, ...tokenFields } = firstRefreshToken(auth);
  const session: NewSession = {
    ...tokenFields,
    userId: user.id,
    ipAddress: request.ipAddress,
    userAgent: userAgentOf(request),
    secondFactorAt,
    expiresAt: new Date(auth.stores.clock.now().getTime() + auth.config.session.refreshTtl),
  };
  const subject = { user, secondFactorAt };
  const claims = await (isSetUpLater ? claimsBeforeSetup(auth, subject) : extraClaims(auth, subject));
  const inTenant = { ...session, tenantId: user.tenantId, ver: 0 };
  const signedIn = await issueTokens(auth, { user, session: inTenant, refreshToken, claims });
  return { session, user, claims, refreshToken, signedIn, request };
}

/** The facts about a session other than its user. */
interface SessionPlan {
  /** When a second factor was verified for it; null if none was. */
  readonly secondFactorAt?: Date | null;
  /** Whether the app's hooks run before it is stored; they decide what the user may do. */
  readonly isSetUpLater?: boolean;
}

type FirstRefreshToken = Pick<SessionRecord, 'id' | 'refreshSalt' | 'refreshTokenHash'> & { refreshToken: string };

function firstRefreshToken({ refreshTokens }: Pick<AuthContext, 'refreshTokens'>): FirstRefreshToken {
  const id = crypto.randomUUID() as SessionId;
  const refreshSalt = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
  const refreshToken = refreshTokens.derive({ sessionId: id, generation: 0, salt: refreshSalt });
  return { id, refreshSalt, refreshToken, refreshTokenHash: hashRefreshToken(id, refreshToken) };
}
