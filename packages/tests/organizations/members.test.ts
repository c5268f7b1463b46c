import { defineAccess } from '@x/access';
import { createOrganizations } from '@x/organizations';
import { createServer } from '@x/server';
import type { EventId, Stores, UserId } from '@x/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { Client, type SignedIn } from './support/client.ts';
import { companies, engines } from './support/companies.ts';

interface Page {
  readonly items: readonly { readonly email: string; readonly role: string }[];
  readonly nextCursor: string | null;
}

describe.each(engines)('members on $name', ({ open }) => {
  it('are searched by the beginning of their addresses, and paged', async () => {
    const { client, enroll } = await companies(open);
    const owner = await client.signUp('owner@example.com');
    const { id } = await owner.create('/api/organizations', { name: 'Acme' });
    const path = `/api/organizations/${id}`;
    for (const name of ['ada', 'adam', 'bob', 'eve']) {
      await enroll(id, await client.signUp(`${name}@example.com`), 'member');
    }
    const emails = async (query: string): Promise<readonly string[]> => {
      const found: string[] = [];
      let after = '';
      do {
        const { status, body } = await owner.get(`${path}/members?${query}${after}`);
        expect(status).toBe(200);
        const page = body as Page;
        expect(page.items.length).toBeLessThanOrEqual(2);
        found.push(...page.items.map(({ email }) => email.split('@')[0] ?? ''));
        after = page.nextCursor === null ? '' : `&after=${page.nextCursor}`;
      } while (after !== '');
      return found;
    };
    expect(await emails('limit=2')).toEqual(['ada', 'adam', 'bob', 'eve', 'owner']);
    expect(await emails('limit=1')).toEqual(['ada', 'adam', 'bob', 'eve', 'owner']);
    expect(await emails('limit=2&search=ADA')).toEqual(['ada', 'adam']);
    expect(await emails('limit=2&search=%25')).toEqual([]);
    expect((await owner.get(`${path}/members`)).body).toMatchObject({ members: { length: 5 } });
    for (const wrong of [
      'limit=0',
      'limit=101',
      'limit=a',
      'limit=',
      'limit=0x10',
      'limit=1e1',
      'limit=2.0',
      'limit=%202',
      'after=x',
      'after=',
      'no=1',
      'search=a&search=b',
    ]) {
      const refused = { status: 400, body: { error: { code: 'INVALID_QUERY' } } };
      expect([wrong, await owner.get(`${path}/members?${wrong}`)]).toMatchObject([wrong, refused]);
    }
  });

  it('keep their place in a list that they leave', async () => {
    const { client, enroll } = await companies(open);
    const owner = await client.signUp('owner@example.com');
    const bob = await client.signUp('bob@example.com');
    const { id } = await owner.create('/api/organizations', { name: 'Acme' });
    const path = `/api/organizations/${id}`;
    await enroll(id, bob, 'member');
    const first = (await owner.get(`${path}/members?limit=1`)).body as Page;
    expect(first.items).toMatchObject([{ email: 'bob@example.com' }]);
    await bob.post(`${path}/leave`, {});
    const next = (await owner.get(`${path}/members?limit=1&after=${first.nextCursor}`)).body as Page;
    expect(next).toMatchObject({ items: [{ email: 'owner@example.com' }], nextCursor: null });
  });

  it('lose all roles below, however many, when they are removed or leave', async () => {
    const { client, stores, enroll } = await companies(open);
    const [owner, bob] = [await client.signUp('owner@example.com'), await client.signUp('bob@example.com')];
    const { id } = await owner.create('/api/organizations', { name: 'Acme' });
    const path = `/api/organizations/${id}`;
    const elsewhere = await bob.create('/api/organizations', { name: 'Elsewhere' });
    await giveRolesBelow(stores, id, [owner.id, bob.id]);
    await enroll(id, bob, 'member');
    expect((await owner.post(`${path}/set-role`, { userId: bob.id, role: null })).status).toBe(200);
    const own = { userId: bob.id, resource: { type: 'organization', id: elsewhere.id }, role: 'owner' };
    expect(await stores.roleAssignments.listByUser(bob.id as UserId)).toEqual([own]);
    // The last owner keeps everything.
    expect((await owner.post(`${path}/leave`, {})).status).toBe(409);
    expect(await stores.roleAssignments.listByUser(owner.id as UserId)).toHaveLength(251);
    await enroll(id, bob, 'member');
    await owner.post(`${path}/set-role`, { userId: bob.id, role: 'owner' });
    expect((await owner.post(`${path}/leave`, {})).status).toBe(200);
    expect(await stores.roleAssignments.listByUser(owner.id as UserId)).toEqual([]);
  });
});

describe.each(engines)('a membership on $name', ({ open }) => {
  it('begins with consent, where people are asked first', async () => {
    const { client } = await companies(open);
    const [owner, bob] = [await client.signUp('owner@example.com'), await client.signUp('bob@example.com')];
    const { id } = await owner.create('/api/organizations', { name: 'Acme' });
    for (const role of ['member', 'owner']) {
      expect((await owner.post(`/api/organizations/${id}/set-role`, { userId: bob.id, role })).status).toBe(404);
    }
    expect((await bob.get(`/api/organizations/${id}`)).status).toBe(404);
  });

  it('leaves what it gave others, and tells, or takes it away', async () => {
    const { client, stores, enroll } = await companies(open);
    const people = ['owner', 'adam', 'bob', 'cyd'].map((name) => client.signUp(`${name}@example.com`));
    const [owner, adam, bob, cyd] = (await Promise.all(people)) as [SignedIn, SignedIn, SignedIn, SignedIn];
    const { id } = await owner.create('/api/organizations', { name: 'Acme' });
    const [resource, below] = [
      { type: 'organization', id },
      { type: 'organization', id: `below-${id}` },
    ];
    await stores.hierarchy.attach({ child: below, parent: resource });
    const path = `/api/organizations/${id}`;
    const start = async () => {
      await enroll(id, adam, 'admin');
      for (const each of [bob, cyd]) await enroll(id, each, 'member');
      expect((await adam.post(`${path}/set-role`, { userId: bob.id, role: 'admin' })).status).toBe(200);
      for (const each of [bob, cyd]) {
        const given = { userId: each.id as UserId, resource: below, role: 'member' };
        await stores.roleAssignments.assign(given, { by: adam.id });
      }
    };
    await start();
    const grantedAt = expect.stringMatching(/^\d{4}-.*Z$/);
    const kept = await owner.post(`${path}/set-role`, { userId: adam.id, role: null });
    expect((kept.body as { given: object[] }).given).toHaveLength(3);
    expect(kept.body).toMatchObject({
      ok: true,
      given: expect.arrayContaining([
        { userId: bob.id, resource, role: 'admin', grantedAt },
        { userId: bob.id, resource: below, role: 'member', grantedAt },
        { userId: cyd.id, resource: below, role: 'member', grantedAt },
      ]),
    });
    const again = await owner.post(`${path}/set-role`, { userId: adam.id, role: null, given: 'revoke' });
    expect(again).toMatchObject({ status: 200, body: { ok: true, given: [] } });
    expect(await stores.roleAssignments.listByResource(below)).toEqual([]);
    const left = await stores.roleAssignments.listByResource(resource);
    expect(new Set(left.map(({ userId }) => userId))).toEqual(new Set([owner.id, cyd.id]));
    expect((await owner.post(`${path}/set-role`, { userId: cyd.id, role: 'admin', given: 'keep' })).status).toBe(400);
  });

  it('stays whole for who takes away what another gave, also where that one had given it', async () => {
    const { client, stores, enroll } = await companies(open);
    const [owner, adam] = [await client.signUp('owner@example.com'), await client.signUp('adam@example.com')];
    const { id } = await owner.create('/api/organizations', { name: 'Acme' });
    const resource = { type: 'organization', id };
    const boss = await client.signUp('boss@example.com');
    await enroll(id, boss, 'admin');
    await stores.roleAssignments.assign({ userId: adam.id as UserId, resource, role: 'admin' }, { by: boss.id });
    for (let index = 0; index < 60; index += 1) {
      const below = { type: 'organization', id: `below-${index}-${id}` };
      await stores.hierarchy.attach({ child: below, parent: resource });
      await stores.roleAssignments.assign(
        { userId: owner.id as UserId, resource: below, role: 'member' },
        { by: boss.id },
      );
    }
    const path = `/api/organizations/${id}/set-role`;
    const answer = await adam.post(path, { userId: boss.id, role: null, given: 'revoke' });
    expect(answer).toMatchObject({ status: 200, body: { given: [] } });
    const left = await stores.roleAssignments.listByResource(resource);
    expect(new Set(left.map(({ userId }) => userId))).toEqual(new Set([owner.id, adam.id]));
    expect(await stores.roleAssignments.listByUser(owner.id as UserId)).toHaveLength(1);
  });

  it('that was given as owner outlives who gave it', async () => {
    const { client, stores, enroll } = await companies(open);
    const [owner, bob] = [await client.signUp('owner@example.com'), await client.signUp('bob@example.com')];
    const { id } = await owner.create('/api/organizations', { name: 'Acme' });
    await enroll(id, bob, 'member');
    await owner.post(`/api/organizations/${id}/transfer`, { userId: bob.id });
    const answer = await bob.post(`/api/organizations/${id}/set-role`, {
      userId: owner.id,
      role: null,
      given: 'revoke',
    });
    expect(answer).toMatchObject({ status: 200, body: { given: [] } });
    const resource = { type: 'organization', id };
    expect(await stores.roleAssignments.listByResource(resource)).toEqual([
      { userId: bob.id, resource, role: 'owner' },
    ]);
  });
});

it.each([true, false])('members are found by their name where it is public: %s', async (isPublic) => {
  const definition = defineAccess({
    entities: { organization: { roles: ['owner', 'member'] } },
    entitlements: {
      'organization:read': { roles: ['owner', 'member'] },
      'organization:manage': { roles: ['owner'] },
      'organization:invite': { roles: ['owner'] },
    },
  });
  const userFields = { name: { schema: z.string(), public: isPublic, signUp: true } };
  const server = await createServer({
    auth: { production: false, session: { strategy: 'jwt' }, userFields },
    access: { definition },
    organizations: createOrganizations({ definition }),
  });
  onTestFinished(() => server.close());
  await server.initialize();
  const client = new Client(server);
  const ada = await client.signUp('a@example.com', { name: 'Lovelace' });
  const { id } = await ada.create('/api/organizations', { name: 'Acme' });
  const { body } = await ada.get(`/api/organizations/${id}/members?search=love`);
  const found = [{ userId: ada.id, email: 'a@example.com', name: 'Lovelace', role: 'owner' }];
  expect(body).toEqual({ items: isPublic ? found : [], nextCursor: null });
});

describe.each(engines)('guests on $name', ({ open }) => {
  it('are listed with who gave them what and when, for those who manage the organization', async () => {
    const { client, stores, enroll } = await companies(open);
    const [owner, bob] = [await client.signUp('owner@example.com'), await client.signUp('bob@example.com')];
    const { id } = await owner.create('/api/organizations', { name: 'Acme' });
    await enroll(id, bob, 'member');
    const resources = ['a', 'b', 'c'].map((name) => ({ type: 'organization', id: `${name}-${id}` }));
    const guests = await Promise.all(['eve', 'evan'].map((name) => client.signUp(`${name}@example.com`)));
    for (const resource of resources) {
      await stores.hierarchy.attach({ child: resource, parent: { type: 'organization', id } });
      for (const guest of guests) {
        const given = { userId: guest.id as UserId, resource, role: 'member' };
        await stores.roleAssignments.assign(given, { by: owner.id });
      }
    }
    const path = `/api/organizations/${id}/members`;
    type Guests = { items: { userId: string; resource: { id: string } }[]; nextCursor: string | null };
    const walk = async (query: string): Promise<Guests['items']> => {
      const found: Guests['items'] = [];
      for (let after = ''; ;) {
        const { status, body } = await owner.get(`${path}?guests=true&limit=2${query}${after}`);
        expect(status).toBe(200);
        found.push(...(body as Guests).items);
        const { nextCursor } = body as Guests;
        if (nextCursor === null) return found;
        after = `&after=${nextCursor}`;
      }
    };
    const all = await walk('');
    expect(all.map(({ userId, resource }) => `${userId} ${resource.id}`)).toEqual(
      guests.flatMap((guest) => resources.map((resource) => `${guest.id} ${resource.id}`)).toSorted(),
    );
    expect(all[0]).toMatchObject({ role: 'member', grantedBy: owner.id, grantedAt: expect.stringMatching(/Z$/) });
    expect((await walk('&search=EVA')).map(({ userId }) => userId)).toEqual(Array(3).fill(guests[1]?.id));
    expect((await bob.get(`${path}?guests=true`)).status).toBe(403);
    expect((await bob.get(`${path}?guests=false`)).status).toBe(200);
    for (const wrong of ['guests=1', 'guests=', 'guests=true&after=x']) {
      expect([wrong, (await owner.get(`${path}?${wrong}`)).status]).toEqual([wrong, 400]);
    }
    const unstorable = btoa(encodeURIComponent(JSON.stringify(['\0', 'project', 'a', 'viewer']))).replaceAll('=', '');
    expect((await owner.get(`${path}?guests=true&after=${unstorable}`)).body).toMatchObject({
      error: { code: 'INVALID_QUERY' },
    });
  });
});

async function giveRolesBelow(stores: Stores, id: string, userIds: readonly string[]): Promise<void> {
  for (let index = 0; index < 250; index += 1) {
    const resource = { type: 'organization', id: `below-${index}` };
    await stores.hierarchy.attach({ child: resource, parent: { type: 'organization', id } });
    for (const userId of userIds) {
      await stores.roleAssignments.assign({ userId: userId as UserId, resource, role: 'member' });
    }
  }
}

describe.each(engines)('the history of an organization on $name', ({ open }) => {
  it('has its changes for those who manage it, and nothing about how people signed in', async () => {
    const { client, stores, enroll } = await companies(open);
    const owner = await client.signUp('owner@example.com');
    const bob = await client.signUp('bob@example.com');
    const { id } = await owner.create('/api/organizations', { name: 'Acme' });
    const path = `/api/organizations/${id}`;
    await enroll(id, bob, 'member');
    const from = { sessionId: null, ipAddress: '192.0.2.1', userAgent: 'x', detail: {} };
    const user = { id: crypto.randomUUID() as EventId, userId: bob.id as UserId, tenantId: id };
    await stores.events.append({ type: 'sign_in.succeeded', ...user, ...from });
    await owner.post(`${path}/invite`, { email: 'eve@example.com', role: 'member' });
    const { items } = (await owner.get(`${path}/invitations`)).body as { items: { id: string }[] };
    await owner.post(`${path}/revoke-invitation`, { invitationId: items[0]?.id });
    await owner.post(`${path}/set-role`, { userId: bob.id, role: null });
    const { status, body } = await owner.get(`${path}/events`);
    expect(status).toBe(200);
    const events = (body as { items: { type: string; userId: string | null; detail: object }[] }).items;
    expect(events.map(({ type }) => type).toSorted()).toEqual([
      'invitation.revoked',
      'invitation.sent',
      'role.assigned',
      'role.assigned',
      'role.revoked',
    ]);
    expect(events.find(({ type, userId }) => type === 'role.assigned' && userId === null)).toMatchObject({
      detail: { userId: owner.id, role: 'owner', by: owner.id },
    });
    expect(events.find(({ type }) => type === 'role.revoked')).toMatchObject({
      userId: bob.id,
      detail: { role: 'member', by: owner.id },
    });
    expect((await owner.get(`${path}/events?after=x`)).status).toBe(400);
    expect((await owner.get(`${path}/events?limit=0`)).status).toBe(400);
    expect((await bob.get(`${path}/events`)).status).toBe(404);
    await enroll(id, bob, 'member');
    expect((await bob.get(`${path}/events`)).status).toBe(403);
  });
});
