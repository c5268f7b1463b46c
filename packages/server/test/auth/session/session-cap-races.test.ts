import type { UserId } from '@x/store';
import { describe, expect, it } from 'vitest';
import { expectSessionExpired, refreshWith } from '../../support/refresh-tokens.ts';
import { createTestDatabase, createTestServer, engines, type TestServer } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

describe.each(engines)('60 parallel sign-ins on %s', (engine) => {
  it.each([1, 4])('leave 50 sessions, and never more in between, through %i server(s)', async (count) => {
    const database = createTestDatabase(engine);
    const [watcher, ...servers] = await Promise.all(
      Array.from({ length: count + 1 }, () => createTestServer({ database })),
    );
    const first = servers[0]!.client();
    const userId = (await first.post('/api/auth/signup', ada)).body.user.id as UserId;
    database.clock.advance(1);
    const watch = watchActive(watcher!, userId);
    const browsers = Array.from({ length: 60 }, (_, index) => servers[index % count]!.client());
    const responses = await Promise.all(browsers.map((browser) => browser.post('/api/auth/signin', ada)));
    const seen = await watch.stop();

    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(Math.max(...seen)).toBeLessThanOrEqual(50);
    expect(new Set(seen).size).toBeGreaterThan(1);
    expect(await watcher!.server.stores.sessions.countActive(userId)).toBe(50);
    // The sign-up, which is older than all of them, is among those that gave way.
    expectSessionExpired(await refreshWith(servers[0]!, first.cookies.get('app.ref')!));
    const statuses = browsers.map(({ cookies }) => refreshWith(servers.at(-1)!, cookies.get('app.ref')!));
    const good = (await Promise.all(statuses)).filter(({ status }) => status === 200);
    expect(good).toHaveLength(50);
  });
});

/** Counts the active sessions of a user over and over until it is stopped, through stores of its own. */
function watchActive({ server }: TestServer, userId: UserId): { readonly stop: () => Promise<readonly number[]> } {
  const seen: number[] = [];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      seen.push(await server.stores.sessions.countActive(userId));
      await new Promise(setImmediate);
    }
  })();
  const stop = async (): Promise<readonly number[]> => {
    isOver = true;
    await watching;
    return [...seen, await server.stores.sessions.countActive(userId)];
  };
  return { stop };
}
