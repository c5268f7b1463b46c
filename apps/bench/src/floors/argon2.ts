import { serve } from '@hono/node-server';
import { hash, verify } from '@node-rs/argon2';
import { Hono } from 'hono';

// Verifies one password again and again, 8 at a time, for as long as it is asked to: `POST /?seconds=4` answers how
// long each took in milliseconds.
const concurrency = 8;
const password = 'correct horse battery staple';
const stored = await hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });

const app = new Hono().post('/', async (c) => c.json(await verifyFor(Number(c.req.query('seconds')))));
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env['PORT']) });

async function verifyFor(seconds: number): Promise<readonly number[]> {
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
