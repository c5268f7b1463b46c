import type { JsonObject, SessionRecord, UserRecord } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { sessionCookies } from '../cookies/auth-cookies.ts';
import { publicFields, toUser } from '../user/to-user.ts';
import type { User } from '../user/user.ts';

/** The outcome of signing in, in whatever way. */
export interface SignedIn {
  readonly user: User;
  /** When the JWT is over; the session itself lasts longer. */
  readonly expiresAt: Date;
  /** The `Set-Cookie` values that carry the session to the browser. Secret. */
  readonly cookies: readonly string[];
}

/** What tokens say of a session. */
export type TokenSession = Pick<SessionRecord, 'id' | 'tenantId' | 'ver' | 'secondFactorAt' | 'expiresAt'>;

/** Issues a JWT for a session and packs it with the refresh token into cookies. */
export async function issueTokens(
  auth: Pick<AuthContext, 'config' | 'stores' | 'accessTokens'>,
  signIn: { user: UserRecord; session: TokenSession; refreshToken: string; custom: JsonObject },
): Promise<SignedIn> {
  const { session, refreshToken, custom } = signIn;
  const user = toUser(inTenantOf(session, signIn.user), auth.config);
  const { token, expiresAt } = await auth.accessTokens.issue(
    {
      sub: signIn.user.id,
      sid: session.id,
      email: user.email,
      emailVerified: user.emailVerified,
      role: user.role,
      tenantId: session.tenantId,
      ver: session.ver,
      user: {
        ...publicFields(signIn.user.fields, auth.config),
        createdAt: user.createdAt.toISOString(),
        updatedAt: user.updatedAt.toISOString(),
      },
      ...(session.secondFactorAt && { fva: Math.floor(session.secondFactorAt.getTime() / 1000) }),
      custom,
    },
    session.expiresAt,
  );
  const refreshMaxAgeSeconds = Math.ceil((session.expiresAt.getTime() - auth.stores.clock.now().getTime()) / 1000);
  return {
    user,
    expiresAt,
    cookies: sessionCookies(auth.config, { accessToken: token, refreshToken, refreshMaxAgeSeconds }),
  };
}

/** Returns a user as a session sees them: in the tenant that it was moved to. */
export function inTenantOf({ tenantId }: Pick<SessionRecord, 'tenantId'>, user: UserRecord): UserRecord {
  return { ...user, tenantId };
}
