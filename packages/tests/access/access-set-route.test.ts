import { decodeAccessSet } from '@x/access/access-set';
import { storeUnavailable, type Resource, type UserId } from '@x/store';
import { describe, expect, it, vi } from 'vitest';
import { refusalOf } from '../support/refusal-of.ts';
import { sampleAccess } from '../support/sample-access.ts';
import type { TestResponse, TestClient } from '../support/test-client.ts';
import { createTestServer, engines, type TestServer } from '../support/test-server.ts';

const path = '/api/auth/access-set';
const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const acme: Resource = { type: 'organization', id: 'acme' };

interface InAcme extends TestServer {
  readonly browser: TestClient;
  readonly userId: UserId;
}

/** A server where Ada is signed in, and owns the organization that she is in. */
async function createAcme(engine: (typeof engines)[number]): Promise<InAcme> {
  const test = await createTestServer({ engine, access: sampleAccess });
  const browser = test.client();
  const userId = (await browser.post('/api/auth/signup', ada)).body.user.id as UserId;
  const { users, roleAssignments } = test.server.stores;
  await users.setTenant(userId, acme.id);
  await roleAssignments.assign({ userId, resource: acme, role: 'owner' });
  await browser.post('/api/auth/signin', ada);
  return { ...test, browser, userId };
}

function framingOf({ status, headers, text }: TestResponse): object {
  return { status, cache: headers.get('cache-control'), etag: headers.get('etag'), isEmpty: text === '' };
}

describe.each(engines)(`GET ${path} on %s`, (engine) => {
  it('returns the entitlements of the caller as of now, with their hash as the ETag', async () => {
    const { browser, server, userId } = await createAcme(engine);
    const response = await browser.get(path);
    expect(response.body).toEqual({
      accessSet: {
        allow: ['organization:create-project', 'organization:manage', 'organization:read', 'project:read'],
        deny: { 'project:export': { reasons: ['plan_required'], meta: { requiredPlans: ['pro'] } } },
        plans: { base: 'free' },
      },
    });
    const etag = response.headers.get('etag');
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    expect(framingOf(response)).toEqual({ status: 200, cache: 'no-store', etag, isEmpty: false });
    const names = Object.keys(sampleAccess.definition.entitlements);
    const decoded = decodeAccessSet((response.body as unknown as Record<string, unknown>)['accessSet'], names);
    const context = server.access?.contextFor({ userId, tenantId: 'acme', role: 'user', secondFactorAt: null });
    for (const name of names) expect(decoded.entitlements[name]).toEqual(await context?.check(name));
  });

  it('returns 304 for an unchanged access set, and 200 as soon as it changes', async () => {
    const { browser, server, userId } = await createAcme(engine);
    const etag = (await browser.get(path)).headers.get('etag') ?? '';
    const getWithTags = (tags: string): Promise<TestResponse> =>
      browser.get(path, { headers: { 'if-none-match': tags } });
    for (const tags of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      expect([tags, framingOf(await getWithTags(tags))]).toEqual([
        tags,
        { status: 304, cache: 'no-store', etag, isEmpty: true },
      ]);
    }
    for (const tags of ['"x"', etag.slice(1, -1), '', `"${etag}`])
      expect([tags, (await getWithTags(tags)).status]).toEqual([tags, 200]);
    // A use below the limit changes nothing of what is allowed.
    const caller = { userId, tenantId: 'acme', role: 'user', secondFactorAt: null };
    await server.stores.subscriptions.updateOverrides('acme', { projects: { max: 2 } });
    expect(await server.access?.contextFor(caller).canAndConsume('organization:create-project', acme)).toBe(true);
    expect((await getWithTags(etag)).status).toBe(304);
    expect(await server.access?.contextFor(caller).canAndConsume('organization:create-project', acme)).toBe(true);
    expect((await getWithTags(etag)).status).toBe(200);
    await server.stores.subscriptions.assign({ tenantId: 'acme', planName: 'pro', group: 'base' });
    const changed = await getWithTags(etag);
    expect([changed.status, changed.headers.get('etag') === etag]).toEqual([200, false]);
  });

  it('identifies the caller by the JWT alone, without reading a session, and refuses anonymous callers', async () => {
    const { browser, client, server } = await createAcme(engine);
    const reads = vi.spyOn(server.stores.sessions, 'findWithUser');
    const [users, sessions] = [vi.spyOn(server.stores.users, 'findById'), vi.spyOn(server.stores.sessions, 'findById')];
    expect((await browser.get(path)).status).toBe(200);
    for (const spy of [reads, users, sessions]) expect(spy).not.toHaveBeenCalled();
    const anonymous = await client().get(path, { headers: { 'if-none-match': '*' } });
    expect([refusalOf(anonymous), anonymous.headers.get('cache-control')]).toEqual(['UNAUTHENTICATED', 'no-store']);
    expect(framingOf(await browser.send(path, { method: 'HEAD' }))).toMatchObject({ status: 200, isEmpty: true });
  });

  it('responds with 503 if a store fails, and keeps the session', async () => {
    const { browser, server } = await createAcme(engine);
    const { tenantSnapshots, roleAssignments, subscriptions, wallets } = server.stores;
    const apart = [
      vi.spyOn(roleAssignments, 'readPaths'),
      vi.spyOn(subscriptions, 'readMany'),
      vi.spyOn(wallets, 'readMany'),
    ];
    for (const read of tenantSnapshots ? [vi.spyOn(tenantSnapshots, 'read')] : apart) {
      read.mockRejectedValueOnce(storeUnavailable(new Error('SELECT 1')));
      const refused = await browser.get(path);
      expect([refusalOf(refused), refused.status]).toEqual(['SERVICE_UNAVAILABLE', 503]);
      expect([refused.headers.get('retry-after'), refused.headers.getSetCookie()]).toEqual(['1', []]);
      expect((await browser.get(path)).status).toBe(200);
    }
  });
});

it('has no route for the access set if access was not configured', async () => {
  const { client } = await createTestServer();
  const browser = client();
  await browser.post('/api/auth/signup', ada);
  expect((await browser.get(path)).status).toBe(404);
});
