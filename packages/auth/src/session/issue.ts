import type { SessionRecord, UserRecord } from '@x/store';
import { type AccessClaim, toAccessClaims } from '../access-set/access-claim.ts';
import type { AuthContext } from '../auth-context.ts';
import { fitsCookie, sessionCookies } from './cookies.ts';
import { publicFields, toUser } from '../user/to-user.ts';
import type { User } from '../user/user.ts';
import type { ExtraClaims } from './extra-claims.ts';

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
export async function issueTokens(auth: Issuer, signIn: TokenSubject): Promise<SignedIn> {
  const { session, refreshToken } = signIn;
  const user = toUser(inTenantOf(session, signIn.user), auth.config);
  const { token, expiresAt } = await issueFitting(auth, signIn, user);
  const refreshMaxAgeSeconds = Math.ceil((session.expiresAt.getTime() - auth.stores.clock.now().getTime()) / 1000);
  return {
    user,
    expiresAt,
    cookies: sessionCookies(auth.config, { accessToken: token, refreshToken, refreshMaxAgeSeconds }),
  };
}

type Issuer = Pick<AuthContext, 'config' | 'stores' | 'accessTokens'>;

/** Whom tokens are for, and what they contain. */
interface TokenSubject {
  readonly user: UserRecord;
  readonly session: TokenSession;
  readonly refreshToken: string;
  readonly claims: ExtraClaims;
}

type IssuedToken = Awaited<ReturnType<Issuer['accessTokens']['issue']>>;

/** Puts as much of the access set into the JWT as fits into the cookie: its size must never prevent a sign-in. */
async function issueFitting(auth: Issuer, subject: TokenSubject, user: User): Promise<IssuedToken> {
  const [first, ...others] = toAccessClaims(subject.claims.access);
  let issued = await issue(auth, subject, { user, acl: first });
  for (const acl of others) {
    if (fitsCookie(auth.config, issued.token)) break;
    issued = await issue(auth, subject, { user, acl });
  }
  return issued;
}

function issue(
  auth: Issuer,
  { user: record, session, claims: { custom } }: TokenSubject,
  { user, acl }: { readonly user: User; readonly acl: AccessClaim | undefined },
): Promise<IssuedToken> {
  return auth.accessTokens.issue(
    {
      sub: record.id,
      sid: session.id,
      email: user.email,
      emailVerified: user.emailVerified,
      role: user.role,
      tenantId: session.tenantId,
      ver: session.ver,
      user: {
        ...publicFields(record.fields, auth.config),
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

/** Returns a user as seen from a session: in the tenant of that session. */
export function inTenantOf({ tenantId }: Pick<SessionRecord, 'tenantId'>, user: UserRecord): UserRecord {
  return { ...user, tenantId };
}
