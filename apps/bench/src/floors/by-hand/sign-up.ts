import { randomUUID } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import type { Context } from 'hono';
import type { Database } from './database.ts';
import type { Settings } from './settings.ts';
import { startSession } from './start-session.ts';

/** argon2id, as the project does by default. */
export const argon2Parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

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
