import type { EventRecord, UserId } from '@x/store';
import { describe, expect, it, vi } from 'vitest';
import {
  deriveToken,
  expectSessionExpired,
  isValidJwt,
  refreshWith,
  setCookie,
  storedSession,
} from '../../support/refresh-tokens.ts';
import { createTestServer, engines, type TestServer } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

describe.each(engines)('a rotated refresh token on %s', (engine) => {
  it('returns its successor again, even as the parent of the 12th, and changes nothing', async () => {
    const test = await createTestServer({ engine });
    const [parent, current] = (await makeChain(test, 12)).slice(-2);
    const before = await storedSession(test, current!.refreshToken);
    const response = await refreshWith(test, parent!.refreshToken);
    expect([response.status, response.refreshToken]).toEqual([200, current!.refreshToken]);
    expect(await storedSession(test, current!.refreshToken)).toEqual(before);
    expect((await refreshWith(test, response.refreshToken)).status).toBe(200);
  });

  it('ends the session at once if it is any older one of 12', async () => {
    const test = await createTestServer({ engine });
    for (let replayed = 0; replayed <= 10; replayed++) {
      const chain = await makeChain(test, 12);
      const [parent, current] = chain.slice(-2);
      const before = await storedSession(test, current!.refreshToken);
      expectSessionExpired(await refreshWith(test, chain[replayed]!.refreshToken));
      expect(await storedSession(test, current!.refreshToken)).toEqual({ ...before, revokedAt: test.clock.now() });
      for (const { refreshToken, accessToken } of [parent!, current!]) {
        expectSessionExpired(await refreshWith(test, refreshToken));
        expect(await isValidJwt(test, accessToken)).toBe(false);
      }
    }
  });

  it.each([0, 1, 9999, -1, -3_600_000])('returns the same successor and a fresh JWT %i ms later', async (laterMs) => {
    const test = await createTestServer({ engine });
    const [first, second] = await makeChain(test, 1);
    const before = await storedSession(test, first!.refreshToken);
    test.clock.advance(laterMs);
    const response = await refreshWith(test, first!.refreshToken);
    expect([response.status, response.refreshToken]).toEqual([200, second!.refreshToken]);
    expect(response.accessToken).not.toBe(second!.accessToken);
    expect(await isValidJwt(test, response.accessToken)).toBe(true);
    expect(await storedSession(test, first!.refreshToken)).toEqual(before);
  });

  it.each([10_000, 10_001, 3_600_000])('ends the session %i ms later', async (laterMs) => {
    const test = await createTestServer({ engine });
    const [first, second] = await makeChain(test, 1);
    test.clock.advance(laterMs);
    expectSessionExpired(await refreshWith(test, first!.refreshToken));
    expect((await storedSession(test, first!.refreshToken)).revokedAt).toEqual(test.clock.now());
    expectSessionExpired(await refreshWith(test, second!.refreshToken));
    expect(await isValidJwt(test, second!.accessToken)).toBe(false);
  });

  it('is checked by its time of arrival, however long the stores take', async () => {
    const test = await createTestServer({ engine });
    const [first, second] = await makeChain(test, 1);
    const { rateLimits } = test.server.stores;
    const check = rateLimits.check.bind(rateLimits);
    vi.spyOn(rateLimits, 'check').mockImplementation((...attempt) => {
      test.clock.advance(2000);
      return check(...attempt);
    });
    test.clock.advance(9999);
    expect((await refreshWith(test, first!.refreshToken)).refreshToken).toBe(second!.refreshToken);
    expectSessionExpired(await refreshWith(test, first!.refreshToken));
  });

  it('does not extend its own grace period when it is used', async () => {
    const test = await createTestServer({ engine });
    const [first, second] = await makeChain(test, 1);
    for (const laterMs of [4000, 4000, 1999]) {
      test.clock.advance(laterMs);
      expect((await refreshWith(test, first!.refreshToken)).refreshToken).toBe(second!.refreshToken);
    }
    test.clock.advance(1);
    expectSessionExpired(await refreshWith(test, first!.refreshToken));
  });

  it('has a grace period that can be configured', async () => {
    const session = { strategy: 'jwt', algorithm: 'ES256', refreshGrace: '2s' } as const;
    const test = await createTestServer({ engine, auth: { session } });
    const [first, second] = await makeChain(test, 1);
    test.clock.advance(1999);
    expect((await refreshWith(test, first!.refreshToken)).refreshToken).toBe(second!.refreshToken);
    test.clock.advance(1);
    expectSessionExpired(await refreshWith(test, first!.refreshToken));
  });

  it('returns the successor of a lost response as often as it is retried, and the chain continues', async () => {
    const test = await createTestServer({ engine });
    const [first] = await makeChain(test, 0);
    const lost = await refreshWith(test, first!.refreshToken);
    const retries = await Promise.all(Array.from({ length: 20 }, () => refreshWith(test, first!.refreshToken)));
    expect(new Set(retries.map(({ refreshToken }) => refreshToken))).toEqual(new Set([lost.refreshToken]));
    const next = await refreshWith(test, lost.refreshToken);
    expect([next.status, (await storedSession(test, next.refreshToken)).generation]).toEqual([200, 2]);
    expectSessionExpired(await refreshWith(test, first!.refreshToken));
  });

  it('is logged once as reused, however often it is replayed, and ends no other session', async () => {
    const test = await createTestServer({ engine });
    const [first, , third] = await makeChain(test, 2);
    const { id, userId } = await storedSession(test, first!.refreshToken);
    const other = test.client();
    await other.post('/api/auth/signin', ada);
    const replays = await Promise.all(Array.from({ length: 20 }, () => refreshWith(test, first!.refreshToken)));
    for (const replay of replays) expectSessionExpired(replay);
    const about = { sessionId: id, userAgent: null, ipAddress: expect.stringMatching(/^10\./) };
    const events = (await eventsOf(test, userId)).toSorted((one, other) => (one.type < other.type ? -1 : 1));
    expect(events).toMatchObject([
      { ...about, type: 'refresh_token.reused', detail: { presentedGeneration: 0, currentGeneration: 2 } },
      { ...about, type: 'session.revoked', detail: { reason: 'refresh_token_reused', sessionIds: [id] } },
    ]);
    expectSessionExpired(await refreshWith(test, third!.refreshToken));
    expect((await other.post('/api/auth/refresh')).status).toBe(200);
  });

  it('is refused without ending the session if it comes from after a restored backup', async () => {
    const test = await createTestServer({ engine });
    const chain = await makeChain(test, 3);
    const before = await storedSession(test, chain[3]!.refreshToken);
    for (const generation of [4, 5, 1000, 0xffff_ffff]) {
      expectSessionExpired(await refreshWith(test, deriveToken(test, before, generation)));
      expect(await storedSession(test, chain[3]!.refreshToken)).toEqual(before);
    }
    expect(await eventsOf(test, before.userId)).toEqual([]);
    expect((await refreshWith(test, chain[3]!.refreshToken)).status).toBe(200);
  });
});

interface Link {
  readonly refreshToken: string;
  readonly accessToken: string;
}

/** Signs in, refreshes so many times, and returns the tokens of each generation. */
async function makeChain(test: TestServer, rotations: number): Promise<readonly Link[]> {
  const browser = test.client();
  await browser.post('/api/auth/signup', ada);
  const responses = [await browser.post('/api/auth/signin', ada)];
  while (responses.length <= rotations) responses.push(await browser.post('/api/auth/refresh'));
  return responses.map((response) => ({
    refreshToken: setCookie(response, 'app.ref'),
    accessToken: setCookie(response, 'app.sid'),
  }));
}

async function eventsOf({ server }: TestServer, userId: UserId): Promise<readonly EventRecord[]> {
  const { items } = await server.stores.events.listByUser(userId, { limit: 100, after: null });
  return items.filter(({ type }) => !['user.created', 'sign_in.succeeded'].includes(type));
}
