import { describe, expect, it, vi } from 'vitest';
import { refusalOf } from '../../support/refusal-of.ts';
import type { TestClient } from '../../support/test-client.ts';
import { createTestServer, engines } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const path = '/api/auth/events';

async function walk(browser: TestClient, limit: number): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const items: Readonly<Record<string, unknown>>[] = [];
  let after: string | null = '';
  while (after !== null) {
    const { body } = await browser.get(`${path}?limit=${limit}${after && `&after=${encodeURIComponent(after)}`}`);
    expect(body.items.length).toBeLessThanOrEqual(limit);
    items.push(...body.items);
    after = body.nextCursor;
  }
  return items;
}

describe.each(engines)(`GET ${path} on %s`, (engine) => {
  it("returns the caller's own history, newest first, page by page", async () => {
    const { client, clock } = await createTestServer({ engine });
    const [browser, eve] = [client('192.0.2.1'), client()];
    await browser.post('/api/auth/signup', ada, {
      headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' },
    });
    await eve.post('/api/auth/signup', { ...ada, email: 'eve@example.com' });
    for (let count = 0; count < 4; count += 1) {
      clock.advance(1000);
      await client().post('/api/auth/signin', { ...ada, password: 'wrong horse battery' });
    }
    const items = await walk(browser, 2);
    expect(items.map(({ type }) => type)).toEqual([...Array<string>(4).fill('sign_in.failed'), 'user.created']);
    expect(await walk(browser, 100)).toEqual(items);
    const [newest, oldest] = [items[0]!, items.at(-1)!];
    expect(new Date(String(newest['at'])).getTime() - new Date(String(oldest['at'])).getTime()).toBe(4000);
    expect(Object.keys(oldest).toSorted()).toEqual(
      ['at', 'detail', 'deviceName', 'id', 'ipAddress', 'occurrences', 'sessionId', 'type'].toSorted(),
    );
    expect(oldest).toMatchObject({ ipAddress: '192.0.2.1', deviceName: 'Firefox on Linux' });
    expect((await eve.get(path)).body.items).toHaveLength(1);
  });

  it('does not reveal which operator acted', async () => {
    const { client, clock, server } = await createTestServer({ engine });
    const browser = client();
    const { id } = (await browser.post('/api/auth/signup', ada)).body.user;
    clock.advance(1000);
    await server.auth.admin.setRole(id, 'editor', { actor: 'operator-7' });
    await browser.post('/api/auth/refresh');
    const { body, text } = await browser.get(path);
    expect(body.items[0]).toMatchObject({ type: 'user.role_changed', detail: { role: 'editor' } });
    expect(text).not.toContain('operator-7');
  });

  it('requires an active session', async () => {
    const { client, server } = await createTestServer({ engine });
    const [browser, other] = [client(), client()];
    expect(refusalOf(await browser.get(path))).toBe('UNAUTHENTICATED');
    await browser.post('/api/auth/signup', ada);
    await other.post('/api/auth/signin', ada);
    await other.send('/api/auth/sessions', { method: 'DELETE' });
    vi.spyOn(server.auth.dependencies.sessions.revokedSessions, 'has').mockReturnValue(false);
    expect(refusalOf(await browser.get(path))).toBe('UNAUTHENTICATED');
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=-1',
    'limit=1e1',
    'limit=',
    'limit=1&limit=2',
    'after=x',
    'page=2',
    'after=%00',
  ])('refuses the query ?%s', async (query) => {
    const { client } = await createTestServer({ engine });
    const browser = client();
    await browser.post('/api/auth/signup', ada);
    expect(refusalOf(await browser.get(`${path}?${query}`))).toBe('INVALID_QUERY');
  });
});
