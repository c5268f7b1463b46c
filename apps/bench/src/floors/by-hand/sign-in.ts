import { hash, verify } from '@node-rs/argon2';
import type { Context } from 'hono';
import { randomUUID } from 'node:crypto';
import type { Database } from './database.ts';
import type { Settings } from './settings.ts';
import { startSession } from './session.ts';

/**
 * `POST /signin`: the limit in a commit, the hash on a thread of libuv, session and event in another commit, then a
 * JWT. It does not look at who sent the request (CSRF), caps no sessions, and is quicker where there is no such user.
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

/** argon2id, as the project does by default. */
const argon2Parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** `POST /signup`, for the bench to prepare with: it knows no limit and believes every address. */
export function signUpRoute(database: Database, settings: Settings): (c: Context) => Promise<Response> {
  return async (c) => {
    const { email, password } = await c.req.json<{ email: string; password: string }>();
    const passwordHash = await hash(password, argon2Parameters);
    await database.addUser({ id: randomUUID(), email, passwordHash, now: Date.now() });
    const user = await database.findUser(email);
    if (!user) throw new Error('What was just inserted is missing.');
    return await startSession(c, { database, settings, user });
  };
}

const concurrency = 8;
const password = 'correct horse battery staple';

/**
 * `POST /hash-alone?seconds=4`: verifies one password again and again, 8 at a time, for so long, and answers how long
 * each took in milliseconds.
 */
export async function hashAloneRoute(): Promise<(c: Context) => Promise<Response>> {
  const stored = await hash(password, argon2Parameters);
  return async (c) => c.json(await verifyFor(stored, Number(c.req.query('seconds'))));
}

async function verifyFor(stored: string, seconds: number): Promise<readonly number[]> {
  const endsAt = performance.now() + seconds * 1000;
  const latenciesMs: number[] = [];
  const verifyOneByOne = async (): Promise<void> => {
    for (let startedAt = performance.now(); startedAt < endsAt;) {
      await verify(stored, password);
      const endedAt = performance.now();
      if (endedAt < endsAt) latenciesMs.push(endedAt - startedAt);
      startedAt = endedAt;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, verifyOneByOne));
  return latenciesMs;
}
