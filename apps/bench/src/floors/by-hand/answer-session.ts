import type { Context } from 'hono';
import { signAccessToken } from './access-token.ts';
import { writeSessionCookies } from './cookies.ts';
import type { SessionRow, UserRow } from './database.ts';
import { type Settings, ttlSeconds } from './settings.ts';

/** Answers with a fresh JWT and a refresh token in cookies, and with the user. */
export async function answerSession(
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
