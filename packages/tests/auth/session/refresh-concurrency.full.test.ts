import { describe, expect, it } from 'vitest';
import {
  deriveToken,
  isValidJwt,
  type RefreshResponse,
  refreshWith,
  storedSession,
} from '../../support/refresh-tokens.ts';
import { createTestDatabase, createTestServer, engines, type TestServer } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

describe.each(engines)('concurrent refreshes on %s', (engine) => {
  it.each([1, 4])('succeed with one rotation and one successor through %i servers', async (count) => {
    const servers = await startServers(engine, count);
    const [first] = servers;
    const browser = first!.client();
    await browser.post('/api/auth/signup', ada);
    let token = browser.cookies.get('app.ref')!;
    for (let generation = 1; generation <= 2; generation++) {
      const responses = await refreshAtOnce(servers, token, 200);
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
      const successors = new Set(responses.map(({ refreshToken }) => refreshToken));
      expect(successors).toEqual(new Set([deriveToken(first!, await storedSession(first!, token), generation)]));
      expect(await storedSession(first!, token)).toMatchObject({ generation, revokedAt: null });
      expect(new Set(responses.map(({ accessToken }) => accessToken)).size).toBe(200);
      const checks = responses.map(({ accessToken }, index) => isValidJwt(servers[index % count]!, accessToken));
      expect(new Set(await Promise.all(checks))).toEqual(new Set([true]));
      [token] = [...successors] as [string];
    }
    const next = await refreshWith(servers.at(-1)!, token);
    expect([next.status, (await storedSession(first!, token)).generation]).toEqual([200, 3]);
  });

  it('of many sessions do not affect each other', async () => {
    const servers = await startServers(engine, 2);
    const tokens = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const browser = servers[index % 2]!.client();
        await browser.post('/api/auth/signup', { ...ada, email: `user${index}@example.com` });
        return browser.cookies.get('app.ref')!;
      }),
    );
    const responses = await Promise.all(tokens.map((token) => refreshAtOnce(servers, token, 10)));
    for (const [index, group] of responses.entries()) {
      const session = await storedSession(servers[0]!, tokens[index]!);
      const successor = deriveToken(servers[0]!, session, 1);
      expect(new Set(group.map(({ refreshToken }) => refreshToken))).toEqual(new Set([successor]));
    }
  });

  it('of a reused token are all refused, and end the session once', async () => {
    const servers = await startServers(engine, 4);
    const browser = servers[0]!.client();
    await browser.post('/api/auth/signup', ada);
    const token = browser.cookies.get('app.ref')!;
    for (let times = 0; times < 2; times++) await browser.post('/api/auth/refresh');
    const responses = await refreshAtOnce(servers, token, 40);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([401]));
    const { userId, revokedAt } = await storedSession(servers[0]!, token);
    expect(revokedAt).not.toBeNull();
    const { items } = await servers[0]!.server.stores.events.listByUser(userId, { limit: 100, after: null });
    expect(items.filter(({ type }) => type === 'refresh_token.reused')).toHaveLength(1);
  });
});

function startServers(engine: (typeof engines)[number], count: number): Promise<readonly TestServer[]> {
  const database = createTestDatabase(engine);
  return Promise.all(Array.from({ length: count }, () => createTestServer({ database })));
}

/** Presents one token so many times at once, to the servers in turn. */
function refreshAtOnce(
  servers: readonly TestServer[],
  token: string,
  times: number,
): Promise<readonly RefreshResponse[]> {
  return Promise.all(Array.from({ length: times }, (_, index) => refreshWith(servers[index % servers.length]!, token)));
}
