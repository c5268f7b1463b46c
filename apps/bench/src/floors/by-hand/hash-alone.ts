import { hash, verify } from '@node-rs/argon2';
import type { Context } from 'hono';
import { argon2Parameters } from './sign-up.ts';

const concurrency = 8;
const password = 'correct horse battery staple';

/**
 * `POST /hash-alone?seconds=4`: verifies one password again and again, 8 at a time, for so long, and answers how long each
 * took in milliseconds.
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
