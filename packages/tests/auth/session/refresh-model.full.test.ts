import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  deriveToken,
  expectSessionExpired,
  isValidJwt,
  type RefreshResponse,
  refreshWith,
  storedSession,
} from '../../support/refresh-tokens.ts';
import { createTestDatabase, createTestServer, engines, type TestServer } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const week = 7 * 86_400_000;

/** `present` names a token by how many generations it is behind the current one; below zero, it is one to come. */
type Step =
  | { readonly kind: 'present'; readonly behind: number }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'revoke' }
  | { readonly kind: 'sign out' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom<Step>(...[0, 0, 0, 1, 1].map((behind) => ({ kind: 'present', behind }) as const)),
  },
  { weight: 1, arbitrary: fc.integer({ min: -2, max: 6 }).map((behind) => ({ kind: 'present', behind }) as const) },
  {
    weight: 5,
    arbitrary: fc
      .constantFrom(1, 4999, 5000, 5001, 9999, 10_000, 10_001, 60_000, week / 2, -1, -20_000)
      .map((ms) => ({ kind: 'wait', ms }) as const),
  },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ kind: 'revoke' }, { kind: 'sign out' }) },
);

describe.each(engines)('a session on %s', (engine) => {
  it(
    'behaves like a naive model of the rules in any sequence of steps on two servers',
    { timeout: 120_000 },
    async () => {
      const database = createTestDatabase(engine);
      const servers = [await createTestServer({ database }), await createTestServer({ database })] as const;
      const runs = fc.array(fc.tuple(fc.nat(1), step), { minLength: 4, maxLength: 24 });
      const agrees = fc.asyncProperty(runs, async (steps) => {
        const browser = servers[0].client();
        await browser.post('/api/auth/signup', ada);
        await browser.post('/api/auth/signin', ada);
        const first = browser.cookies.get('app.ref')!;
        const naive = new NaiveSession(database.clock.now().getTime());
        for (const [server, one] of steps) {
          const now = database.clock.now().getTime();
          const seen = await take(one, servers[server]!, { first, current: naive.generation });
          expect(seen).toEqual(naive.take(one, now));
        }
      });
      await fc.assert(agrees, { numRuns: process.env['DEEP'] ? 1000 : 60 });
    },
  );
});

/** The outcome of a step, and the stored state after it. */
interface Outcome {
  /** The generation of the returned token, or null for 401; undefined if the step presented none. */
  readonly successor?: number | null | undefined;
  readonly generation: number;
  readonly rotatedAt: number;
  readonly expiresAt: number;
  readonly isRevoked: boolean;
}

async function take(one: Step, test: TestServer, known: { first: string; current: number }): Promise<Outcome> {
  const { id, refreshSalt } = await storedSession(test, known.first);
  const tokenOf = (generation: number): string => deriveToken(test, { id, refreshSalt }, generation);
  let successor: Outcome['successor'];
  if (one.kind === 'wait') test.clock.advance(one.ms);
  if (one.kind === 'revoke') await test.server.stores.sessions.revoke(id);
  if (one.kind === 'sign out') {
    const cookie = `app.ref=${tokenOf(known.current)}`;
    await test.client().post('/api/auth/signout', undefined, { headers: { cookie } });
  }
  if (one.kind === 'present') {
    const response = await refreshWith(test, tokenOf(Math.max(0, known.current - one.behind)));
    successor = await successorOf(test, response);
  }
  const { generation, rotatedAt, expiresAt, revokedAt } = await storedSession(test, known.first);
  const moments = { rotatedAt: rotatedAt.getTime(), expiresAt: expiresAt.getTime() };
  return { successor, generation, ...moments, isRevoked: revokedAt !== null };
}

/** Returns the generation of the token in a response, and checks that the response is complete or a refusal. */
async function successorOf(test: TestServer, response: RefreshResponse): Promise<number | null> {
  if (response.status !== 200) {
    expectSessionExpired(response);
    return null;
  }
  const generation = Buffer.from(response.refreshToken, 'base64url').readUInt32BE(16);
  const isWhole =
    response.refreshToken === deriveToken(test, await storedSession(test, response.refreshToken), generation);
  if (isWhole && (await isValidJwt(test, response.accessToken))) return generation;
  throw new Error('The response brought a token that is not good.');
}

/** The rules of the design, word by word. */
class NaiveSession {
  generation = 0;
  readonly #expiresAt: number;
  #rotatedAt: number;
  #isRevoked = false;

  constructor(now: number) {
    this.#rotatedAt = now;
    this.#expiresAt = now + week;
  }

  take(one: Step, now: number): Outcome {
    const successor =
      one.kind === 'present' ? this.#present(Math.max(0, this.generation - one.behind), now) : undefined;
    if (one.kind === 'revoke' || one.kind === 'sign out') this.#isRevoked = true;
    const { generation } = this;
    return {
      ...{ successor, generation, rotatedAt: this.#rotatedAt },
      ...{ expiresAt: this.#expiresAt, isRevoked: this.#isRevoked },
    };
  }

  #present(generation: number, now: number): number | null {
    if (this.#isRevoked || now >= this.#expiresAt || generation > this.generation) return null;
    if (generation === this.generation) {
      this.generation += 1;
      this.#rotatedAt = now;
      return this.generation;
    }
    if (generation === this.generation - 1 && now - this.#rotatedAt < 10_000) return this.generation;
    this.#isRevoked = true;
    return null;
  }
}
