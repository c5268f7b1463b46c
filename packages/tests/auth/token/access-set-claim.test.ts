import type { AuthOptions } from '@x/auth';
import { storeUnavailable, type Resource, type UserId } from '@x/store';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createOAuthServer, signInBy } from '../../support/oauth-server.ts';
import { ada, submitCode, claimOf, createMfaServer, enrol } from '../../support/second-factor.ts';
import { manyEntitlements, sampleAccess } from '../../support/sample-access.ts';
import type { TestClient } from '../../support/test-client.ts';
import { createTestServer, engines } from '../../support/test-server.ts';

/** Gives every new user an organization of their own. */
const ownOrganization: Pick<AuthOptions, 'onUserCreated' | 'tenant'> = {
  async onUserCreated({ user }, { stores }) {
    const resource: Resource = { type: 'organization', id: `of ${user.email}` };
    await stores.users.setTenant(user.id as UserId, resource.id);
    await stores.roleAssignments.assign({ userId: user.id as UserId, resource, role: 'owner' });
  },
  tenant: { list: () => [], isMember: () => true },
};

/** Returns the allowed entitlements of the user in the JWT of a browser. */
function allowedBy(browser: TestClient): unknown {
  const acl = claimOf(browser, 'acl');
  return (acl as { readonly set: { readonly allow: unknown } } | undefined)?.set.allow;
}

const ofOwner = ['organization:create-project', 'organization:manage', 'organization:read', 'project:read'] as const;

describe.each(engines)('the access set in the JWT on %s', (engine) => {
  it('shows the tenant and roles of the user from sign-up on, as of now after each refresh', async () => {
    const { server, client } = await createTestServer({ engine, access: sampleAccess, auth: ownOrganization });
    const browser = client();
    const { tenantId, id } = (await browser.post('/api/auth/signup', ada)).body.user as never as Record<string, string>;
    expect([tenantId, allowedBy(browser)]).toEqual(['of ada@example.com', ofOwner]);
    const acl = claimOf(browser, 'acl');
    expect(acl).toMatchObject({ hash: expect.stringMatching(/^[\w-]{43}$/), set: { plans: { base: 'free' } } });
    await browser.post('/api/auth/signin', ada);
    expect(claimOf(browser, 'acl')).toEqual(acl);
    await server.stores.subscriptions.assign({ tenantId: 'of ada@example.com', planName: 'pro', group: 'base' });
    await browser.post('/api/auth/refresh');
    expect(allowedBy(browser)).toEqual([...ofOwner.slice(0, 3), 'project:export', 'project:read']);
    const resource = { type: 'organization', id: 'of ada@example.com' };
    await server.stores.roleAssignments.revoke({ userId: id as UserId, resource, role: 'owner' });
    await browser.post('/api/auth/refresh');
    expect(allowedBy(browser)).toEqual([]);
  });

  it('is updated by a tenant switch, a step-up and a completed challenge', async () => {
    const test = await createMfaServer({ engine, access: sampleAccess, auth: ownOrganization });
    const { browser, userId, nextCode, challenged } = await enrol(test);
    const resource = { type: 'organization', id: 'other' };
    await test.server.stores.roleAssignments.assign({ userId: userId as UserId, resource, role: 'member' });
    await browser.post('/api/auth/switch-tenant', { tenantId: 'other' });
    expect(allowedBy(browser)).toEqual(['organization:read', 'project:read']);
    await browser.post('/api/auth/mfa/step-up', { code: nextCode() });
    expect([allowedBy(browser), claimOf(browser, 'fva')]).toEqual([
      ['organization:read', 'project:read'],
      expect.any(Number),
    ]);
    const other = await challenged();
    await submitCode(other, nextCode());
    expect(allowedBy(other)).toEqual(['organization:read', 'project:read']);
  });

  it('is present after the callback of a provider, whether the user is new or known', async () => {
    const { client, fake } = await createOAuthServer({ engine, access: sampleAccess, auth: ownOrganization });
    for (const browser of [client(), client()]) {
      await signInBy({ client: browser, fake }, 'google', { sub: '1', email: ada.email, email_verified: true });
      expect(allowedBy(browser)).toEqual(ofOwner);
    }
  });

  it('is omitted at sign-up if it cannot be computed, while later requests are refused', async () => {
    const { server, client } = await createTestServer({ engine, access: sampleAccess, auth: ownOrganization });
    const { tenantSnapshots, roleAssignments } = server.stores;
    const read = tenantSnapshots ? vi.spyOn(tenantSnapshots, 'read') : vi.spyOn(roleAssignments, 'readPaths');
    const fail = (): unknown => read.mockRejectedValueOnce(storeUnavailable(new Error('SELECT 1')));
    const browser = client();
    fail();
    expect((await browser.post('/api/auth/signup', ada)).status).toBe(201);
    expect(claimOf(browser, 'acl')).toBeUndefined();
    for (const path of ['/api/auth/signin', '/api/auth/refresh', '/api/auth/switch-tenant']) {
      fail();
      const body = { '/api/auth/signin': ada, '/api/auth/switch-tenant': { tenantId: 'of ada@example.com' } }[path];
      const refused = await browser.post(path, body);
      expect([path, refused.status, refused.body.error.code]).toEqual([path, 503, 'SERVICE_UNAVAILABLE']);
      expect([refused.headers.get('retry-after'), refused.headers.getSetCookie()]).toEqual(['1', []]);
      expect((await browser.post(path, body)).status).toBe(200);
      expect(allowedBy(browser)).toEqual(ofOwner);
    }
    expect((await browser.get('/api/auth/sessions')).body.sessions).toHaveLength(2);
  });
});

describe.each(['RS256', 'ES256'] as const)('a cookie signed with %s', (algorithm) => {
  const note = z.string().max(1000);
  const session = { strategy: 'jwt', algorithm } as const;

  it('contains an access set of up to 2 KiB, and only its hash if it is larger', async () => {
    for (const [count, hasSet] of [
      [50, true],
      [77, true],
      [78, false],
      [1000, false],
    ] as const) {
      const { client } = await createTestServer({ access: manyEntitlements(count), auth: { session } });
      const browser = client();
      await browser.post('/api/auth/signup', ada);
      const acl = claimOf(browser, 'acl') as { readonly set?: object };
      expect([count, Object.keys(acl)]).toEqual([count, hasSet ? ['set', 'hash'] : ['hash', 'overflow']]);
      expect(JSON.stringify(acl.set ?? '').length).toBeLessThanOrEqual(2048);
    }
  });

  it('never becomes too large because of the access set, beside any other claims', async () => {
    const said = new Set<string>();
    for (const size of [0, 500, 1000]) {
      for (const claimed of [0, 500, 900]) {
        const auth = { session, userFields: { note: { schema: note } }, claims: () => ({ text: 'x'.repeat(claimed) }) };
        const { client } = await createTestServer({ access: manyEntitlements(65), auth });
        const browser = client();
        const email = `${'a'.repeat(64)}@${'b'.repeat(180)}.example`;
        const signedUp = await browser.post('/api/auth/signup', { ...ada, email, note: 'x'.repeat(size) });
        expect([size, claimed, signedUp.status]).toEqual([size, claimed, 201]);
        for (const cookie of signedUp.headers.getSetCookie()) expect(cookie.length).toBeLessThanOrEqual(4096);
        expect((await browser.post('/api/auth/refresh')).status).toBe(200);
        said.add(Object.keys(claimOf(browser, 'acl') ?? {}).join());
      }
    }
    expect([...said].toSorted()).toEqual(['hash,overflow', 'set,hash']);
  });

  it('omits the access set and its hash if not even the hash fits', async () => {
    const said: string[] = [];
    for (let claimed = 1700; claimed < 2700; claimed += 50) {
      const auth = { session, claims: () => ({ text: 'x'.repeat(claimed) }) };
      const { client } = await createTestServer({ access: manyEntitlements(77), auth });
      const browser = client();
      const { status } = await browser.post('/api/auth/signup', ada);
      if (status === 500) break;
      said.push(Object.keys(claimOf(browser, 'acl') ?? {}).join());
    }
    expect(new Set(said)).toEqual(new Set(['hash,overflow', '']));
    expect(said).toEqual(said.toSorted().toReversed());
  });
});
