import { randomBytes, randomUUID } from 'node:crypto';
import type Database from 'better-sqlite3';
import type { Context } from 'hono';
import { answerSession } from './answer-session.ts';
import type { SessionRow, UserRow } from './open-database.ts';
import { deriveRefreshToken, hashToken } from './refresh-token.ts';
import { type Settings, ttlSeconds } from './settings.ts';

const insertUser = `
  INSERT INTO users VALUES (?, ?, 1, 'user', NULL, ?, ?) ON CONFLICT (email) DO NOTHING`;

const selectUser = `
  SELECT id AS user_id, email, email_verified, role, tenant_id, created_at AS user_created_at,
    updated_at AS user_updated_at
  FROM users WHERE email = ?`;

const insertSession = `
  INSERT INTO sessions VALUES (?, ?, ?, NULL, ?, 0, ?, ?, ?, 0, ?, ?, ?, NULL) RETURNING *`;

/** Sign-up and sign-in in one, for the bench to prepare with: whoever asks gets a session, whatever the password. */
export function startSessionRoute(database: Database.Database, settings: Settings): (c: Context) => Promise<Response> {
  const addUser = database.prepare<[string, string, number, number]>(insertUser);
  const findUser = database.prepare<[string], UserRow>(selectUser);
  const addSession = database.prepare<(string | number)[], SessionRow>(insertSession);
  return async (c) => {
    const now = Date.now();
    const { email } = await c.req.json<{ email: string }>();
    addUser.run(randomUUID(), email, now, now);
    const user = findUser.get(email);
    const [sessionId, salt] = [randomUUID(), randomBytes(32).toString('base64url')];
    const refreshToken = deriveRefreshToken(settings.refreshKey, { sessionId, generation: 0, salt });
    const [address, userAgent] = [c.req.header('x-forwarded-for') ?? '', c.req.header('user-agent') ?? ''];
    const values = [sessionId, user?.user_id ?? '', hashToken(refreshToken), salt] as const;
    const session = addSession.get(...values, now, address, userAgent, now, now, now + ttlSeconds.session * 1000);
    if (!user || !session) throw new Error('What was just inserted is missing.');
    return await answerSession(c, settings, { row: { ...session, ...user }, refreshToken, now });
  };
}
