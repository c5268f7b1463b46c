import { verify } from '@node-rs/argon2';
import type { Context } from 'hono';
import type { Database } from './database.ts';
import type { Settings } from './settings.ts';
import { startSession } from './start-session.ts';

/**
 * `POST /signin`: the limit in a commit, the hash on a thread of libuv, session and event in another commit, then a JWT. It
 * does not look at who sent the request (CSRF), caps no sessions, and is quicker where there is no such user.
 */
export function signInRoute(database: Database, settings: Settings): (c: Context) => Promise<Response> {
  return async (c) => {
    const { email, password } = await c.req.json<{ email: string; password: string }>();
    const attempts = await database.countAttempt(`signin:${email}`, Date.now());
    if (attempts > settings.maxSignIns) return c.json({ error: { code: 'RATE_LIMITED' } }, 429);
    const user = await database.findUser(email);
    if (!user || !(await verify(user.password_hash, password))) {
      return c.json({ error: { code: 'INVALID_CREDENTIALS' } }, 401);
    }
    return await startSession(c, { database, settings, user });
  };
}
