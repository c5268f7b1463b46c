import { unauthenticated } from '@x/errors';
import type { EventRecord, SessionRecord, SessionWithUser, UserRecord } from '@x/store';
import { publishEvents } from '../events/events.ts';
import { type AccessClaim, toAccessClaims } from '../token/access-claim.ts';
import { publicFields, toUser, type User, withTenantOf } from '../user/user.ts';
import { fitsCookie, sessionCookies } from './cookies.ts';
import type { SessionDependencies } from './session.ts';
import { currentClaims, type ExtraClaims, extraClaims, toClaimSubject } from './extra-claims.ts';
import { deriveCurrentToken } from './refresh-token.ts';

/** The outcome of any kind of sign-in. */
export interface SignedIn {
  readonly user: User;
  /** When the JWT expires; the session itself lasts longer. */
  readonly expiresAt: Date;
  /** The `Set-Cookie` values that carry the session to the browser. Secret. */
  readonly cookies: readonly string[];
}

/** What tokens contain about a session. */
type TokenSession = Pick<SessionRecord, 'id' | 'tenantId' | 'ver' | 'secondFactorAt' | 'expiresAt'>;

/** Issues a JWT for a session and packs it with the refresh token into cookies. */
export async function issueTokens(deps: IssueDependencies, signIn: TokenContents): Promise<SignedIn> {
  const { session, refreshToken } = signIn;
  const user = toUser(withTenantOf(session, signIn.user), deps.config);
  const { token, expiresAt } = await issueWithinCookieSize(deps, signIn, user);
  const refreshMaxAgeSeconds = Math.ceil((session.expiresAt.getTime() - deps.stores.clock.now().getTime()) / 1000);
  return {
    user,
    expiresAt,
    cookies: sessionCookies(deps.config, { accessToken: token, refreshToken, refreshMaxAgeSeconds }),
  };
}

type IssueDependencies = Pick<SessionDependencies, 'config' | 'stores' | 'accessTokens'>;

/** Whom tokens are for, and what they contain. */
interface TokenContents {
  readonly user: UserRecord;
  readonly session: TokenSession;
  readonly refreshToken: string;
  readonly claims: ExtraClaims;
}

type IssuedToken = Awaited<ReturnType<IssueDependencies['accessTokens']['issue']>>;

/** Puts as much of the access set into the JWT as fits into the cookie: its size must never prevent a sign-in. */
async function issueWithinCookieSize(
  deps: IssueDependencies,
  subject: TokenContents,
  user: User,
): Promise<IssuedToken> {
  const [first, ...others] = toAccessClaims(subject.claims.access);
  let issued = await issue(deps, subject, { user, acl: first });
  for (const acl of others) {
    if (fitsCookie(deps.config, issued.token)) break;
    issued = await issue(deps, subject, { user, acl });
  }
  return issued;
}

function issue(
  deps: IssueDependencies,
  { user: record, session, claims: { custom } }: TokenContents,
  { user, acl }: { readonly user: User; readonly acl: AccessClaim | undefined },
): Promise<IssuedToken> {
  return deps.accessTokens.issue(
    {
      sub: record.id,
      sid: session.id,
      email: user.email,
      emailVerified: user.emailVerified,
      role: user.role,
      tenantId: session.tenantId,
      ver: session.ver,
      user: {
        ...publicFields(record.fields, deps.config),
        createdAt: user.createdAt.toISOString(),
        updatedAt: user.updatedAt.toISOString(),
      },
      ...(session.secondFactorAt && { fva: Math.floor(session.secondFactorAt.getTime() / 1000) }),
      ...(acl && { acl }),
      custom,
    },
    session.expiresAt,
  );
}

/** A session that a step changed, and the events it logged. */
export interface ChangedSession extends SessionWithUser {
  readonly events: readonly EventRecord[];
}

/**
 * Changes a session by one step, and issues a JWT for the changed session. The refresh token stays the current one, so
 * a lost response does no harm.
 *
 * @param expected - the session as the step will leave it, for the app's claims
 * @returns null if the step changed nothing
 */
export async function reissueTokens(
  deps: SessionDependencies,
  expected: SessionWithUser,
  change: () => Promise<ChangedSession | null>,
): Promise<SignedIn | null> {
  // Runs the app's code, so it comes before the step.
  const subject = toClaimSubject(expected.session, expected.user);
  const prepared = { user: subject.user, claims: await extraClaims(deps, subject) };
  const changed = await change();
  if (changed === null) return null;
  publishEvents(deps.events, changed.events);
  const { session } = changed;
  const refreshToken = deriveCurrentToken(deps.refreshTokens, session);
  // The session can't be refreshed either.
  if (refreshToken === null) throw unauthenticated();
  const claims = await currentClaims(deps, toClaimSubject(session, changed.user), prepared);
  return issueTokens(deps, { user: changed.user, session, refreshToken, claims });
}
