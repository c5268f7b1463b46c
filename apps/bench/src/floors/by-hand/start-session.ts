import { randomBytes, randomUUID } from 'node:crypto';
import type { Context } from 'hono';
import { answerSession } from './answer-session.ts';
import { clientAddress } from './client-address.ts';
import type { Database, UserRow } from './database.ts';
import { deriveRefreshToken, hashToken } from './refresh-token.ts';
import { type Settings, ttlSeconds } from './settings.ts';

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
  return await answerSession(c, settings, { row, refreshToken, now });
}
