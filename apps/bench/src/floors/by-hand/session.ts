import type { Context } from 'hono';
import { randomBytes, randomUUID } from 'node:crypto';
import type { Database, SessionRow, UserRow } from './database.ts';
import { type Settings, ttlSeconds } from './settings.ts';
import { deriveRefreshToken, hashToken, signAccessToken } from './tokens.ts';

/** Starts a session of a user and answers with it. */
export async function startSession(
  c: Context,
  { database, settings, user }: { readonly database: Database; readonly settings: Settings; readonly user: UserRow },
): Promise<Response> {
  const now = Date.now();
  const [id, salt] = [randomUUID(), randomBytes(32).toString('base64url')];
  const refreshToken = deriveRefreshToken(settings.refreshKey, { sessionId: id, generation: 0, salt });
  const session = {
    id,
    userId: user.user_id,
    tokenHash: hashToken(refreshToken),
    salt,
    ipAddress: clientAddress(c),
    userAgent: c.req.header('user-agent') ?? '',
    now,
    expiresAt: now + ttlSeconds.session * 1000,
  };
  const row = { ...(await database.addSession(session, randomUUID())), ...user };
  return await sendSession(c, settings, { row, refreshToken, now });
}

/** Answers with a fresh JWT and a refresh token in cookies, and with the user. */
export async function sendSession(
  c: Context,
  settings: Settings,
  { row, refreshToken, now }: { row: UserRow & SessionRow; refreshToken: string; now: number },
): Promise<Response> {
  const [setAccessToken, setRefreshToken] = writeSessionCookies({
    accessToken: await signAccessToken(settings, row, now),
    accessTokenSeconds: ttlSeconds.accessToken,
    refreshToken,
    refreshTokenSeconds: Math.ceil((row.expires_at - now) / 1000),
  });
  c.header('Set-Cookie', setAccessToken);
  c.header('Set-Cookie', setRefreshToken, { append: true });
  return c.json({ user: toUser(row), expiresAt: toExpiry(now) });
}

function toUser(row: UserRow): object {
  return {
    id: row.user_id,
    email: row.email,
    emailVerified: Boolean(row.email_verified),
    role: row.role,
    tenantId: row.tenant_id,
    createdAt: new Date(row.user_created_at),
    updatedAt: new Date(row.user_updated_at),
  };
}

function toExpiry(now: number): Date {
  return new Date((Math.floor(now / 1000) + ttlSeconds.accessToken) * 1000);
}

/** Reads one cookie; null where there is none. */
export function readCookie(header: string | undefined, name: string): string | null {
  for (const pair of header?.split('; ') ?? []) if (pair.startsWith(`${name}=`)) return pair.slice(name.length + 1);
  return null;
}

/** Writes the two cookies of a session, with the attributes of the project's. */
function writeSessionCookies(tokens: {
  readonly accessToken: string;
  readonly accessTokenSeconds: number;
  readonly refreshToken: string;
  readonly refreshTokenSeconds: number;
}): readonly [string, string] {
  const { accessToken, accessTokenSeconds, refreshToken, refreshTokenSeconds } = tokens;
  return [
    `app.sid=${accessToken}; Max-Age=${accessTokenSeconds}; Path=/; HttpOnly; Secure; SameSite=Lax`,
    `app.ref=${refreshToken}; Max-Age=${refreshTokenSeconds}; Path=/api/auth; HttpOnly; Secure; SameSite=Lax`,
  ];
}

/** The nearest hop is trusted, so the last address counts. */
export function clientAddress(c: Context): string {
  return c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() ?? '';
}
