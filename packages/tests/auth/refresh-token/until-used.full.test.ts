import type { AuthOptions } from '@x/auth';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveToken, refreshWith, storedSession } from '../../support/refresh-tokens.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { createTestDatabase, createTestServer, engines, type TestServer } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const hour = 3_600_000;

/** The JWT of the sign-in lasts as long as any test, so that it can always be shown beside a refresh token. */
const session: AuthOptions['session'] = { strategy: 'jwt', algorithm: 'ES256', ttl: '6d', refreshGrace: 'until-used' };

/** Servers that are like processes on one database, and a session of Ada's. */
interface Started {
  readonly servers: readonly [TestServer, TestServer, TestServer, TestServer];
  readonly jwt: string;
  /** The refresh token of the sign-in. */
  readonly first: string;
  /** Derives the token of a generation. */
  readonly tokenOf: (generation: number) => Promise<string>;
}

async function start(engine: (typeof engines)[number]): Promise<Started> {
  const database = createTestDatabase(engine);
  const startOne = (): Promise<TestServer> => createTestServer({ database, auth: { session } });
  const servers = [await startOne(), await startOne(), await startOne(), await startOne()] as const;
  return { servers, ...(await signUp(servers[0])) };
}

async function signUp(test: TestServer): Promise<Omit<Started, 'servers'>> {
  const browser = test.client();
  await browser.post('/api/auth/signup', { ...ada, email: `${crypto.randomUUID()}@example.com` });
  const [jwt, first] = [browser.cookies.get('app.sid')!, browser.cookies.get('app.ref')!];
  return { jwt, first, tokenOf: async (generation) => deriveToken(test, await storedSession(test, first), generation) };
}

/** Shows a refresh token at a route that requires it, with a body that the route refuses once it has seen the token. */
async function show({ client }: TestServer, jwt: string, refreshToken: string): Promise<string> {
  const browser = client();
  browser.cookies.set('app.sid', jwt);
  browser.cookies.set('app.ref', refreshToken);
  return refusalOf(await browser.post('/api/auth/change-password', {}));
}

const shown = 'VALIDATION_FAILED';

describe.each(engines)("a refresh token that is good 'until-used', on %s", (engine) => {
  it('gives the same successor hours later, on any server, as long as no client has presented that', async () => {
    const { servers, first, tokenOf } = await start(engine);
    for (const test of servers) {
      const { status, refreshToken } = await refreshWith(test, first);
      expect([status, refreshToken]).toEqual([200, await tokenOf(1)]);
      test.clock.advance(8 * hour);
    }
    expect(await storedSession(servers[0], first)).toMatchObject({ generation: 1, revokedAt: null });
  });

  it('ends the session once its successor was refreshed, or shown at a route that requires it', async () => {
    const present: Readonly<Record<string, (test: TestServer, jwt: string, token: string) => Promise<unknown>>> = {
      'at /refresh': (test, _jwt, token) => refreshWith(test, token),
      'at a route': show,
    };
    for (const [where, presentAt] of Object.entries(present)) {
      const { servers, jwt, first, tokenOf } = await start(engine);
      await refreshWith(servers[0], first);
      await presentAt(servers[1], jwt, await tokenOf(1));
      // Elsewhere it is only refused.
      expect([where, await show(servers[2], jwt, first)]).toEqual([where, 'SESSION_EXPIRED']);
      expect(await storedSession(servers[0], first)).toMatchObject({ revokedAt: null });
      expect([where, refusalOf(await refreshWith(servers[3], first))]).toEqual([where, 'SESSION_EXPIRED']);
      const { revokedAt } = await storedSession(servers[0], first);
      expect([where, revokedAt]).toEqual([where, servers[0].clock.now()]);
    }
  });

  it('is not used by a successor that is shown beside no JWT, or the JWT of another session', async () => {
    const { servers, first, tokenOf } = await start(engine);
    const other = await signUp(servers[0]);
    await refreshWith(servers[0], first);
    expect(await show(servers[0], other.jwt, await tokenOf(1))).toBe('SESSION_EXPIRED');
    expect(await show(servers[0], 'no JWT', await tokenOf(1))).toBe('UNAUTHENTICATED');
    expect((await refreshWith(servers[0], first)).refreshToken).toBe(await tokenOf(1));
  });

  it('has one successor for 40 concurrent refreshes on four servers, hours after the rotation', async () => {
    const { servers, first, tokenOf } = await start(engine);
    await refreshWith(servers[0], first);
    servers[0].clock.advance(8 * hour);
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, index) => refreshWith(servers[(index % 4) as 0], first)),
    );
    expect(new Set(responses.map(({ status, refreshToken }) => `${status} ${refreshToken}`))).toEqual(
      new Set([`200 ${await tokenOf(1)}`]),
    );
    expect(await storedSession(servers[0], first)).toMatchObject({ generation: 1, revokedAt: null });
  });

  it('is good or ends the session, but never forks it, while its successor is being shown', async () => {
    const { servers } = await start(engine);
    for (let round = 0; round < 10; round++) {
      const { jwt, first, tokenOf } = await signUp(servers[0]);
      await refreshWith(servers[0], first);
      const successor = await tokenOf(1);
      const [refreshed] = await Promise.all([
        Promise.all([refreshWith(servers[1], first), refreshWith(servers[2], first)]),
        show(servers[0], jwt, successor),
        show(servers[3], jwt, successor),
      ]);
      const successors = refreshed.flatMap(({ status, refreshToken }) => (status === 200 ? [refreshToken] : []));
      expect(successors.filter((each) => each !== successor)).toEqual([]);
      expect(refusalOf(await refreshWith(servers[3], first))).toBe('SESSION_EXPIRED');
      expect((await storedSession(servers[0], first)).revokedAt).not.toBeNull();
    }
  });

  it('behaves like a naive model of the rules in any sequence of steps on four servers', async () => {
    const { servers } = await start(engine);
    const agrees = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 16 }), async (steps) => {
      const { jwt, tokenOf } = await signUp(servers[0]);
      const naive = new NaiveSession();
      for (const { does, server, behind, hours } of steps) {
        const test = servers[server] ?? servers[0];
        test.clock.advance(hours * hour);
        const generation = Math.max(0, naive.generation - behind);
        const token = await tokenOf(generation);
        const expected = does === 'show' ? naive.show(generation) : naive.refresh(generation);
        expect(await (does === 'show' ? show(test, jwt, token) : successorOf(test, token))).toBe(expected);
      }
    });
    await fc.assert(agrees, { numRuns: process.env['DEEP'] ? 500 : engine === 'memory' ? 60 : 20 });
  });
});

/** Refreshes, and returns the generation of the token that comes; null for a refusal. */
async function successorOf(test: TestServer, token: string): Promise<number | null> {
  const { status, refreshToken } = await refreshWith(test, token);
  return status === 200 ? Buffer.from(refreshToken, 'base64url').readUInt32BE(16) : null;
}

/** `behind` says by how many generations the token is behind the current one; below zero, it is one to come. */
const step = fc.record({
  does: fc.constantFrom('refresh', 'show'),
  server: fc.nat(3),
  behind: fc.constantFrom(0, 0, 0, 1, 1, 1, 2, -1),
  hours: fc.constantFrom(0, 0, 1, 5),
});

class NaiveSession {
  generation = 0;
  #isPreviousGood = false;
  #isEnded = false;

  /** Returns the generation of the successor; null for a refusal. */
  refresh(presented: number): number | null {
    if (this.#isEnded || presented > this.generation) return null;
    if (presented === this.generation) {
      this.generation += 1;
      this.#isPreviousGood = true;
      return this.generation;
    }
    if (presented === this.generation - 1 && this.#isPreviousGood) return this.generation;
    this.#isEnded = true;
    return null;
  }

  show(presented: number): string {
    if (this.#isEnded) return 'UNAUTHENTICATED';
    if (presented === this.generation) {
      this.#isPreviousGood = false;
      return shown;
    }
    return presented === this.generation - 1 && this.#isPreviousGood ? shown : 'SESSION_EXPIRED';
  }
}
