import { storeUnavailable, type TransactionStores, type UserId } from '@x/store';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { companies, type Companies, engines, type Open } from './support/companies.ts';
import type { SignedIn } from './support/client.ts';

interface Acme extends Companies {
  readonly owner: SignedIn;
  readonly id: string;
  readonly path: string;
}

async function startAcme(open: Open, beforeSend?: () => Promise<void>): Promise<Acme> {
  const app = await companies(open, beforeSend);
  const { person: owner } = await app.join('owner');
  const { id } = await owner.create('/api/organizations', { name: 'Acme' });
  return { ...app, owner, id, path: `/api/organizations/${id}` };
}

interface Items {
  readonly items: readonly { readonly id: string; readonly uses?: number }[];
  readonly nextCursor: string | null;
}

async function itemsOf(person: SignedIn, path: string): Promise<Items['items']> {
  const { status, body } = await person.get(path);
  expect(status).toBe(200);
  return (body as Items).items;
}

/** Lists the ids of all pages. */
async function walk(person: SignedIn, path: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let query: string | null = '?limit=40'; query !== null;) {
    const { items, nextCursor } = (await person.get(`${path}${query}`)).body as Items;
    ids.push(...items.map(({ id }) => id));
    query = nextCursor === null ? null : `?limit=40&after=${nextCursor}`;
  }
  return ids;
}

async function statusOf(answer: Promise<{ readonly status: number }>): Promise<number> {
  return (await answer).status;
}

/** Runs transactions in which the roles of a user cannot be read. */
function withoutRoles(stores: Pick<TransactionStores, 'transaction'>): TransactionStores['transaction'] {
  const transaction = stores.transaction.bind(stores);
  const fail = (): never => {
    throw storeUnavailable();
  };
  return (work) =>
    transaction((inside) => {
      const roleAssignments = { ...inside.roleAssignments, readPaths: fail, hasRoleNow: fail };
      return work({ ...inside, roleAssignments, transaction: withoutRoles(inside) });
    });
}

describe.each(engines)('invitations on $name', ({ open }) => {
  it('replace the one of the same address to the same resource, however many others wait', async () => {
    const { owner, stores, id, path } = await startAcme(open);
    const email = 'eve@example.com';
    const invite = { email, role: 'member' };
    expect(await statusOf(owner.post(`${path}/invite`, invite))).toBe(200);
    const now = new Date(stores.clock.now().getTime() + 1000);
    const expiresAt = new Date(now.getTime() + 3_600_000);
    const moments = { createdAt: now, updatedAt: now, expiresAt };
    for (let index = 0; index < 100; index += 1) {
      const resource = { resourceType: 'project', resourceId: `project-${index}` };
      const given = { entitlement: 'project:update', grantedBy: owner.id, tokenHash: `hash-${index}` };
      const row = { id: crypto.randomUUID(), organizationId: id, email, role: 'viewer' };
      await stores.entities.create('organization-invitations', { ...row, ...resource, ...given, ...moments });
    }
    expect(await statusOf(owner.post(`${path}/invite`, invite))).toBe(200);
    expect(await walk(owner, `${path}/invitations`)).toHaveLength(101);
  });

  it('are listed in pages, the latest first, so that none is hidden by any number of others', async () => {
    const { owner, id: organizationId, path, join, stores } = await startAcme(open);
    const { person: eve, email } = await join('eve');
    await owner.post(`${path}/invite`, { email, role: 'member' });
    const [{ id: genuine } = { id: '' }] = await itemsOf(eve, '/api/invitations');
    const later = new Date(Date.now() + 60_000);
    for (let index = 0; index < 101; index += 1) {
      await stores.entities.create('organization-invitations', {
        ...{ id: crypto.randomUUID(), email, organizationId, resourceType: 'team', resourceId: `team-${index}` },
        ...{ role: 'lead', entitlement: 'team:manage', grantedBy: null, tokenHash: `hash-${index}` },
        ...{ createdAt: later, updatedAt: later, expiresAt: later },
      });
    }
    for (const [person, list] of [
      [eve, '/api/invitations'],
      [owner, `${path}/invitations`],
    ] as const) {
      const ids = await walk(person, list);
      expect([ids.length, new Set(ids).size, ids.at(-1)]).toEqual([102, 102, genuine]);
      expect(await statusOf(person.get(`${list}?after=nothing`))).toBe(400);
    }
    expect(await statusOf(eve.post('/api/invitations/accept', { invitationId: genuine }))).toBe(200);
  });

  it('wait until the user who proved the address accepts them, also of an account that had proven it', async () => {
    const { owner, id, path, join, client } = await startAcme(open);
    const { person: eve, email } = await join('eve');
    expect(await statusOf(owner.post(`${path}/invite`, { email, role: 'member' }))).toBe(200);
    expect(await statusOf(eve.get(path)), 'no user becomes a member').toBe(404);
    const waiting = await itemsOf(eve, '/api/invitations');
    expect(waiting).toMatchObject([
      {
        organization: { id, name: 'Acme' },
        resource: { type: 'organization', id },
        role: 'member',
        invitedBy: expect.stringMatching(/^owner-/),
      },
    ]);
    const choice = { invitationId: waiting[0]?.id };
    const { person: bob } = await join('bob');
    expect(await itemsOf(bob, '/api/invitations')).toEqual([]);
    expect(await statusOf(bob.post('/api/invitations/accept', choice)), 'it is not theirs').toBe(403);
    expect(await statusOf(bob.post('/api/invitations/decline', choice))).toBe(403);
    expect(await statusOf(client.send('GET', '/api/invitations', ''))).toBe(401);
    expect(await statusOf(eve.post('/api/invitations/accept', choice))).toBe(200);
    expect(await statusOf(eve.get(path))).toBe(200);
    expect(await statusOf(eve.post('/api/invitations/accept', choice))).toBe(404);
    expect(await itemsOf(eve, '/api/invitations')).toEqual([]);
    expect(await itemsOf(owner, `${path}/events`)).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ type: 'invitation.accepted', userId: eve.id })]),
    );
  });

  it.each(['startReclaim', 'startDeletion'] as const)(
    'give nothing any more after %s of who sent them',
    async (step) => {
      const { owner, path, join, stores } = await startAcme(open);
      const { person: eve, email } = await join('eve');
      await owner.post(`${path}/invite`, { email, role: 'member' });
      const [{ id: invitationId } = { id: '' }] = await itemsOf(eve, '/api/invitations');
      await stores.users[step](owner.id as UserId);
      expect(await statusOf(eve.post('/api/invitations/accept', { invitationId }))).toBe(404);
      expect(await statusOf(eve.get(path))).toBe(404);
    },
  );

  it('are not listed for a user who has not proven the address', async () => {
    const { owner, path, client } = await startAcme(open);
    const email = `eve-${crypto.randomUUID()}@example.com`;
    const eve = await client.signUp(email);
    await owner.post(`${path}/invite`, { email, role: 'member' });
    expect(await itemsOf(eve, '/api/invitations')).toEqual([]);
    const [{ id: invitationId } = { id: '' }] = await itemsOf(owner, `${path}/invitations`);
    const accepted = await eve.post('/api/invitations/accept', { invitationId });
    expect([accepted.status, accepted.body]).toMatchObject([403, { error: { code: 'EMAIL_NOT_VERIFIED' } }]);
    expect(await statusOf(eve.get(path))).toBe(404);
  });

  it('wait on if it cannot be found out whether their sender may still invite', async () => {
    const { owner, path, join, stores } = await startAcme(open);
    const { person: eve, email } = await join('eve');
    await owner.post(`${path}/invite`, { email, role: 'member' });
    const [{ id: invitationId } = { id: '' }] = await itemsOf(eve, '/api/invitations');
    const fail = withoutRoles(stores);
    const broken = vi.spyOn(stores, 'transaction').mockImplementation(fail);
    const accepted = await eve.post('/api/invitations/accept', { invitationId });
    expect([accepted.status, accepted.body]).toMatchObject([503, { error: { code: 'SERVICE_UNAVAILABLE' } }]);
    broken.mockRestore();
    expect(await itemsOf(eve, '/api/invitations')).toMatchObject([{ id: invitationId }]);
    expect(await statusOf(eve.post('/api/invitations/accept', { invitationId }))).toBe(200);
    expect(await statusOf(eve.get(path))).toBe(200);
  });

  it('can be declined', async () => {
    const { owner, path, join } = await startAcme(open);
    const { person: eve, email } = await join('eve');
    await owner.post(`${path}/invite`, { email, role: 'admin' });
    const [{ id: invitationId } = { id: '' }] = await itemsOf(eve, '/api/invitations');
    expect(await statusOf(eve.post('/api/invitations/decline', { invitationId }))).toBe(200);
    expect(await itemsOf(owner, `${path}/invitations`)).toEqual([]);
    expect(await statusOf(eve.get(path))).toBe(404);
  });

  it('give nothing once their sender may not give the role any more', async () => {
    const { owner, id, path, join, enroll } = await startAcme(open);
    const [{ person: bob }, { person: eve, email }] = [await join('bob'), await join('eve')];
    await enroll(id, bob, 'admin');
    await bob.post(`${path}/invite`, { email, role: 'admin' });
    await owner.post(`${path}/set-role`, { userId: bob.id, role: 'member' });
    const [{ id: invitationId } = { id: '' }] = await itemsOf(eve, '/api/invitations');
    expect(await statusOf(eve.post('/api/invitations/accept', { invitationId }))).toBe(404);
    expect(await statusOf(eve.get(path))).toBe(404);
    await owner.post(`${path}/set-role`, { userId: bob.id, role: null });
    expect(await itemsOf(eve, '/api/invitations'), 'they go with their sender').toEqual([]);
  });

  it('are mailed before a server that closes has closed its stores', async () => {
    const turns = async (): Promise<void> => {
      for (let turn = 0; turn < 50; turn += 1) await setImmediate();
      await stores.users.list({ limit: 1, after: null });
    };
    const { owner, path, sent, stores, close } = await startAcme(open, turns);
    expect(await statusOf(owner.post(`${path}/invite`, { email: 'eve@example.com', role: 'member' }))).toBe(200);
    await close();
    expect(sent).toMatchObject([{ email: 'eve@example.com' }]);
  });

  it('hold because of the member who sent them last', async () => {
    const { owner, id, path, join, enroll, sent } = await startAcme(open);
    const [{ person: bob }, { person: eve, email }] = [await join('bob'), await join('eve')];
    await enroll(id, bob, 'admin');
    await bob.post(`${path}/invite`, { email, role: 'member' });
    const [{ id: invitationId } = { id: '' }] = await itemsOf(owner, `${path}/invitations`);
    await owner.post(`${path}/set-role`, { userId: bob.id, role: 'member' });
    expect(await statusOf(owner.post(`${path}/resend-invitation`, { invitationId }))).toBe(200);
    expect(await itemsOf(owner, `${path}/invitations`)).toMatchObject([{ invitedBy: owner.id }]);
    await owner.post(`${path}/set-role`, { userId: bob.id, role: null });
    await expect.poll(() => sent.length).toBe(2);
    expect(await statusOf(eve.post('/api/invitations/join', { token: sent[1]?.token }))).toBe(200);
    expect(await statusOf(eve.get(path))).toBe(200);
  });

  it('can be accepted by the token of their mail, once, and the latest one only', async () => {
    const { owner, id, path, join, sent, client } = await startAcme(open);
    const email = `eve-${crypto.randomUUID()}@example.com`;
    await owner.post(`${path}/invite`, { email, role: 'member' });
    await expect
      .poll(() => sent)
      .toMatchObject([
        { email, role: 'member', organization: { id, name: 'Acme' }, resource: { type: 'organization', id } },
      ]);
    expect(sent[0]?.invitedBy).toMatch(/^owner-/);
    expect(sent[0]?.expiresAt?.getTime()).toBeGreaterThan(Date.now() + 6.9 * 86_400_000);
    const [{ id: invitationId } = { id: '' }] = await itemsOf(owner, `${path}/invitations`);
    expect(await statusOf(owner.post(`${path}/resend-invitation`, { invitationId }))).toBe(200);
    await expect.poll(() => sent.length).toBe(2);
    const [old, token] = sent.map((each) => each.token);
    const shown = await client.send('POST', '/api/invitations/preview', '', { token });
    expect(shown.body).toEqual({
      organization: { name: 'Acme' },
      role: 'member',
      invitedBy: expect.stringMatching(/^owner-/),
    });
    expect(await statusOf(client.send('POST', '/api/invitations/preview', '', { token: old }))).toBe(404);
    expect(await statusOf(client.send('POST', '/api/invitations/join', '', { token }))).toBe(401);
    const [eve, { person: bob }] = [await client.signUp(email), await join('bob')];
    expect(await statusOf(eve.post('/api/invitations/join', { token: old }))).toBe(404);
    const foreign = await bob.post('/api/invitations/join', { token });
    expect([foreign.status, foreign.body]).toMatchObject([403, { error: { code: 'FORBIDDEN' } }]);
    expect(JSON.stringify(foreign.body)).not.toContain(email);
    expect(await eve.post('/api/invitations/join', { token })).toMatchObject({
      status: 200,
      body: { organizationId: id },
    });
    expect(await statusOf(eve.get(path))).toBe(200);
    expect(await statusOf(bob.post('/api/invitations/join', { token }))).toBe(404);
    for (const wrong of [{}, { token: '' }, { token: 7 }, { token: 'x'.repeat(201) }, { token, more: 1 }]) {
      expect(await statusOf(bob.post('/api/invitations/join', wrong))).toBe(400);
    }
  });
});

describe.each(engines)('links on $name', ({ open }) => {
  it('take as many as they are for, until they are revoked', async () => {
    const { owner, path, join } = await startAcme(open);
    const created = await owner.post(`${path}/create-link`, { role: 'member', maxUses: 2, expiresIn: '7d' });
    expect(created.status).toBe(200);
    const { id: linkId, token } = created.body as { id: string; token: string };
    const people = [await join('a'), await join('b'), await join('c')].map(({ person }) => person);
    const [a, b, c] = people;
    expect(await statusOf(a!.post('/api/invitations/join', { token }))).toBe(200);
    expect(await statusOf(a!.post('/api/invitations/join', { token })), 'a member uses none up').toBe(200);
    expect(await itemsOf(owner, `${path}/links`)).toMatchObject([{ id: linkId, uses: 1, maxUses: 2, role: 'member' }]);
    expect(JSON.stringify((await owner.get(`${path}/links`)).body)).not.toContain(token);
    expect(await statusOf(b!.post('/api/invitations/join', { token }))).toBe(200);
    expect(await statusOf(c!.post('/api/invitations/join', { token }))).toBe(404);
    const more = (await owner.post(`${path}/create-link`, { role: 'admin' })).body as { id: string; token: string };
    expect(await statusOf(owner.post(`${path}/revoke-link`, { linkId: more.id }))).toBe(200);
    expect(await statusOf(owner.post(`${path}/revoke-link`, { linkId: more.id }))).toBe(404);
    expect(await statusOf(c!.post('/api/invitations/join', { token: more.token }))).toBe(404);
    expect(await statusOf(c!.get(path))).toBe(404);
  });

  it('are never to the owner role, and only for those who may invite', async () => {
    const { owner, id, path, join, enroll } = await startAcme(open);
    for (const wrong of [
      { role: 'owner' },
      { role: 'king' },
      { role: 'member', maxUses: 0 },
      { role: 'member', maxUses: 1.5 },
      { role: 'member', expiresIn: 0 },
      { role: 'member', expiresIn: 1e9 },
      { role: 'member', expiresIn: '366d' },
      { role: 'member', expiresIn: '500ms' },
      { role: 'member', expiresIn: 'soon' },
      { role: 'member', more: 1 },
    ]) {
      expect([wrong, await statusOf(owner.post(`${path}/create-link`, wrong))]).toEqual([wrong, 400]);
    }
    const { person: bob } = await join('bob');
    await enroll(id, bob, 'member');
    expect(await statusOf(bob.post(`${path}/create-link`, { role: 'member' }))).toBe(403);
    expect(await statusOf(bob.get(`${path}/links`))).toBe(403);
  });

  it('are void for members, too, once their creator may not invite', async () => {
    const { owner, id, path, join, enroll } = await startAcme(open);
    const [{ person: bob }, { person: eve }] = [await join('bob'), await join('eve')];
    await enroll(id, bob, 'admin');
    await enroll(id, eve, 'member');
    const { token } = (await bob.post(`${path}/create-link`, { role: 'member' })).body as { token: string };
    expect(await statusOf(eve.post('/api/invitations/join', { token }))).toBe(200);
    await owner.post(`${path}/set-role`, { userId: bob.id, role: 'member' });
    expect(await statusOf(eve.post('/api/invitations/join', { token }))).toBe(404);
  });

  it('end with the membership of their creator, and with their right to invite', async () => {
    const { owner, id, path, join, enroll } = await startAcme(open);
    const [{ person: bob }, { person: eve }] = [await join('bob'), await join('eve')];
    await enroll(id, bob, 'admin');
    const { token } = (await bob.post(`${path}/create-link`, { role: 'member' })).body as { token: string };
    await owner.post(`${path}/set-role`, { userId: bob.id, role: 'member' });
    expect(await statusOf(eve.post('/api/invitations/join', { token }))).toBe(404);
    expect(await itemsOf(owner, `${path}/links`)).toMatchObject([{ uses: 0 }]);
    await owner.post(`${path}/set-role`, { userId: bob.id, role: null });
    expect(await itemsOf(owner, `${path}/links`)).toEqual([]);
  });

  it('take no more than they are for when many join at the same time', async () => {
    const { owner, path, join } = await startAcme(open);
    const { token } = (await owner.post(`${path}/create-link`, { role: 'member', maxUses: 3 })).body as {
      token: string;
    };
    const people = await Promise.all(Array.from({ length: 8 }, (_, index) => join(`p${index}`)));
    const statuses = await Promise.all(
      people.map(({ person }) => statusOf(person.post('/api/invitations/join', { token }))),
    );
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 200, 404, 404, 404, 404, 404]);
    expect(await itemsOf(owner, `${path}/members?limit=100`)).toHaveLength(4);
  });
});
