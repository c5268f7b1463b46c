import { describe, expect, it } from 'vitest';
import { type EntityClient, patch, remove } from '../../support/entity-server.ts';
import { LiveReader, openLive } from '../../support/live-reader.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { assign, createLiveWorld, liveEngines, type LiveWorld } from '../../support/live-world.ts';

describe.each(liveEngines)('live on %s', (engine) => {
  it('notifies of records that enter, change in, or leave a list, with the ids of those that it shows', async () => {
    const world = await createLiveWorld(engine);
    const [, second] = world.servers;
    const ada = await world.servers[0].signUp();
    const reader = await LiveReader.open(world.servers[0].server, ada.browser);
    await world.subscribe(ada, reader, { id: 'pinned', entity: 'notes', where: { pinned: true } });
    const writer = second.client();
    writer.adoptSession(ada.browser);
    const { id: early } = (await writer.post('/api/notes', { title: 'Zero', pinned: true })).body;
    expect(await reader.nextWith(early)).toEqual({ subscription: 'pinned', ids: [early] });
    const { id } = (await writer.post('/api/notes', { title: 'One', pinned: true })).body;
    expect((await reader.nextWith(id))['subscription']).toBe('pinned');
    await writer.post('/api/notes', { title: 'Two' });
    await patch(writer, `/api/notes/${id}`, { title: 'Uno' });
    expect((await reader.next('change')).data).toEqual({ subscription: 'pinned', ids: [id] });
    await patch(writer, `/api/notes/${id}`, { pinned: false });
    expect((await reader.next('change')).data).toEqual({ subscription: 'pinned' });
    await patch(writer, `/api/notes/${id}`, { pinned: true });
    expect((await reader.next('change')).data).toEqual({ subscription: 'pinned', ids: [id] });
    await remove(writer, `/api/notes/${id}`);
    expect((await reader.next('change')).data).toEqual({ subscription: 'pinned' });
    expect(reader.events).toEqual([]);
  });

  it('says when a record was changed if a client asks for that and it tells its change from all others', async () => {
    const world = await createLiveWorld(engine);
    const [{ server, signUp }] = world.servers;
    const ada = await signUp();
    const reader = await LiveReader.open(server, ada.browser, undefined, '?updatedAt=true');
    await world.subscribe(ada, reader, { id: 'n', entity: 'notes' });
    // While the subscription takes effect, a change may come twice.
    const { id: early } = (await ada.browser.post('/api/notes', { title: 'Zero' })).body;
    await reader.nextWith(early);
    const { id } = (await ada.browser.post('/api/notes', { title: 'One' })).body;
    const now = (): string => world.database.clock.now().toISOString();
    expect(await reader.nextWith(id)).toMatchObject({ updatedAt: { [id]: now() } });
    // On Postgres, a change may come again with the next one of its record, and no time stands for both.
    if (engine === 'postgres') return;
    world.database.clock.advance(1);
    await patch(ada.browser, `/api/notes/${id}`, { title: 'Two' });
    expect(await reader.nextWith(id)).toMatchObject({ updatedAt: { [id]: now() } });
    // By a clock that stands still, both changes have one time.
    await patch(ada.browser, `/api/notes/${id}`, { title: 'Three' });
    expect(await reader.nextWith(id)).not.toHaveProperty('updatedAt');
  });

  it('names a deleted record by the end of its id to a client that asks for times', async () => {
    const world = await createLiveWorld(engine);
    const [{ server, signUp }] = world.servers;
    const ada = await signUp();
    const [reader, plain] = [
      await LiveReader.open(server, ada.browser, undefined, '?updatedAt=true'),
      await LiveReader.open(server, ada.browser),
    ];
    const { id } = (await ada.browser.post('/api/notes', { title: 'One' })).body;
    for (const each of [reader, plain]) await world.subscribe(ada, each, { id: 'n', entity: 'notes' });
    await remove(ada.browser, `/api/notes/${id}`);
    expect(await reader.nextUnnamed()).toEqual({ subscription: 'n', updatedAt: { [id.slice(-8)]: null } });
    expect(await plain.nextUnnamed()).toEqual({ subscription: 'n' });
  });

  it('is refused with any other parameter', async () => {
    const [{ signUp }] = (await createLiveWorld(engine)).servers;
    const { browser } = await signUp();
    for (const query of ['?updatedAt=1', '?updatedAt=true&updatedAt=true', '?ids=true']) {
      expect(refusalOf(await browser.get(`/api/live${query}`))).toBe('INVALID_QUERY');
    }
  });

  it('notifies members of records that they may read, and no client of records hidden from it', async () => {
    const world = await createLiveWorld(engine);
    const [owner, member, stranger] = await signUpEach(world, 3);
    const { id: organizationId } = (await owner.browser.post('/api/organizations', { name: 'A' })).body;
    await world.stores.subscriptions.assign({ tenantId: organizationId, planName: 'pro', group: 'base' });
    await assign(world, member.userId, 'member', organizationId);
    const readers = await Promise.all(
      [owner, member, stranger].map(async (who) => {
        const reader = await LiveReader.open(world.servers[0].server, who.browser);
        await world.subscribe(who, reader, { id: 'p', entity: 'projects' });
        await world.subscribe(who, reader, { id: 'n', entity: 'notes' });
        return reader;
      }),
    );
    const [first, second, third] = readers;
    await owner.browser.post('/api/notes', { title: 'Mine' });
    const { id } = (await owner.browser.post('/api/projects', { organizationId, name: 'P', price: '1.50' })).body;
    for (const reader of [first, second]) expect((await reader?.nextOf('p'))?.ids ?? [id]).toEqual([id]);
    await remove(owner.browser, `/api/projects/${id}`);
    for (const reader of [first, second]) expect((await reader?.nextOf('p'))?.ids ?? [id]).toEqual([id]);
    // A notice of its own shows that the stranger was not notified of the changes before.
    const { id: own } = (await stranger.browser.post('/api/notes', { title: 'Own' })).body;
    expect((await third?.next('change'))?.data).toEqual({ subscription: 'n', ids: [own] });
    expect(third?.events).toEqual([]);
    expect(second?.events.filter(({ data }) => data['subscription'] === 'n')).toEqual([]);
  });

  it('notifies members at both places of a record that moves', async () => {
    const world = await createLiveWorld(engine);
    const [owner, member, other] = await signUpEach(world, 3);
    const [here, there] = [
      (await owner.browser.post('/api/organizations', { name: 'A' })).body.id,
      (await owner.browser.post('/api/organizations', { name: 'B' })).body.id,
    ];
    const { id } = (await owner.browser.post('/api/projects', { organizationId: here, name: 'P' })).body;
    await assign(world, member.userId, 'member', here);
    await assign(world, other.userId, 'member', there);
    const [left, entered] = await Promise.all(
      [member, other].map(async (who) => {
        const reader = await LiveReader.open(world.servers[0].server, who.browser);
        await world.subscribe(who, reader, { id: 'p', entity: 'projects' });
        return reader;
      }),
    );
    expect((await patch(owner.browser, `/api/projects/${id}`, { organizationId: there })).status).toBe(200);
    await left?.nextOf('p');
    await entered?.nextOf('p');
    const listOf = async ({ browser }: EntityClient) => (await browser.get('/api/projects')).body.items.length;
    expect([await listOf(member), await listOf(other)]).toEqual([0, 1]);
  });

  it('notifies users whose roles or plans change that their lists and access may have changed', async () => {
    const world = await createLiveWorld(engine);
    const [owner, member] = await signUpEach(world, 2);
    const { id: organizationId } = (await owner.browser.post('/api/organizations', { name: 'A' })).body;
    const reader = await LiveReader.open(world.servers[0].server, member.browser);
    await world.subscribe(member, reader, { id: 'p', entity: 'projects' });
    await assign(world, member.userId, 'owner', organizationId);
    expect((await reader.next('change')).data).toEqual({ subscription: 'p' });
    const { hash } = (await reader.next('access')).data;
    expect(hash).toBeTypeOf('string');
    await world.subscribe(member, reader, { id: 'r', entity: 'reports' });
    await world.stores.subscriptions.assign({ tenantId: organizationId, planName: 'pro', group: 'base' });
    await reader.nextOf('r');
  });

  it('ends with the session, and says so', async () => {
    const world = await createLiveWorld(engine);
    const ada = await world.servers[0].signUp();
    const reader = await LiveReader.open(world.servers[0].server, ada.browser);
    await world.servers[1].server.stores.sessions.revokeAll(ada.userId);
    expect((await reader.next('session')).data).toEqual({ reason: 'ended' });
    await reader.ended();
  });

  it('continues in another process at the cursor of the client, with notices of missed changes', async () => {
    const world = await createLiveWorld(engine);
    const ada = await world.servers[0].signUp();
    const first = await LiveReader.open(world.servers[0].server, ada.browser);
    await world.subscribe(ada, first, { id: 'n', entity: 'notes' });
    await ada.browser.post('/api/notes', { title: 'One' });
    await first.next('change');
    first.leave();
    await first.ended();
    const { id } = (await ada.browser.post('/api/notes', { title: 'Two' })).body;
    const again = await LiveReader.open(world.servers[1].server, ada.browser, first.lastId);
    expect(again.streamId).toBe(first.streamId);
    expect((await again.nextWith(id))['subscription']).toBe('n');
    const later = (await ada.browser.post('/api/notes', { title: 'Three' })).body;
    expect((await again.nextWith(later.id))['subscription']).toBe('n');
  });
});

describe('a stream', () => {
  it('says nothing of the input of anonymous callers, and no answer is stored', async () => {
    const { servers } = await createLiveWorld('memory');
    const stranger = servers[0].client();
    const answers = [
      await stranger.get('/api/live?unknown=1'),
      await stranger.post('/api/live/subscriptions', { unknown: 1 }),
      await stranger.send('/api/live/subscriptions/a/b', { method: 'DELETE', body: 'no JSON' }),
    ];
    expect(answers.map(refusalOf)).toEqual(Array.from(answers, () => 'UNAUTHENTICATED'));
    for (const { headers } of [...answers, await stranger.get('/api/live/subscriptions')])
      expect(headers.get('cache-control')).toBe('private, no-store');
  });

  it('is for signed-in users, who may have six', async () => {
    const { servers } = await createLiveWorld('memory');
    const [{ server, client, signUp }] = servers;
    expect((await openLive(server, client())).status).toBe(401);
    const ada = await signUp();
    for (let opened = 0; opened < 6; opened += 1) await LiveReader.open(server, ada.browser);
    const seventh = await openLive(server, ada.browser);
    expect(seventh.status).toBe(429);
    expect(await seventh.json()).toMatchObject({ error: { code: 'RATE_LIMITED' } });
  });

  it('is not opened by HEAD, which would end the stream that it continues', async () => {
    const world = await createLiveWorld('memory');
    const { browser } = await world.servers[0].signUp();
    const reader = await LiveReader.open(world.servers[0].server, browser);
    const headers = { 'last-event-id': reader.lastId };
    const head = await browser.send('/api/live', { method: 'HEAD', headers });
    expect([head.status, head.headers.get('allow'), reader.isEnded]).toEqual([405, 'GET', false]);
  });

  it('starts again with a cursor of another user, and all cursors have one length', async () => {
    const { servers } = await createLiveWorld('memory');
    const [{ server, signUp }] = servers;
    const [ada, grace] = [await signUp(), await signUp()];
    const first = await LiveReader.open(server, ada.browser);
    const second = await LiveReader.open(server, grace.browser);
    expect(second.lastId).toHaveLength(first.lastId.length);
    for (const cursor of [first.lastId, `${second.lastId.slice(0, -2)}AA`, 'x', '']) {
      const reader = await LiveReader.open(server, grace.browser, cursor);
      expect((await reader.next('reset')).data).toEqual({});
      expect(reader.streamId).not.toBe(first.streamId);
      reader.leave();
      await reader.ended();
    }
  });

  it('does not keep the server from closing, and says when the client should reconnect', async () => {
    const { servers } = await createLiveWorld('memory');
    const [{ server, signUp }] = servers;
    const ada = await signUp();
    const reader = await LiveReader.open(server, ada.browser);
    expect(server.admission.inFlight().atWork).toBe(0);
    await server.close();
    await reader.ended();
    expect(reader.text).toMatch(/\nretry: \d{3,4}\n\n$/);
  });

  it('accepts the queries of the list as subscriptions, and no others', async () => {
    const world = await createLiveWorld('memory');
    const [{ server, signUp, client }] = world.servers;
    const [ada, grace] = [await signUp(), await signUp()];
    const { streamId } = await LiveReader.open(server, ada.browser);
    const send = async (who: EntityClient['browser'], change: object): Promise<unknown> => {
      const request = { streamId, id: 's', entity: 'notes', ...change };
      const { status, body } = await who.post('/api/live/subscriptions', request);
      return [status, body.error?.code];
    };
    expect(await send(ada.browser, {})).toEqual([201, undefined]);
    expect(await send(client(), {})).toEqual([401, 'UNAUTHENTICATED']);
    expect(await send(grace.browser, {})).toEqual([404, 'NOT_FOUND']);
    expect(await send(ada.browser, { streamId: 'gone' })).toEqual([404, 'NOT_FOUND']);
    expect(await send(ada.browser, { entity: 'unknown' })).toEqual([404, 'NOT_FOUND']);
    expect(await send(ada.browser, { entity: 'vault' })).toEqual([403, 'STEP_UP_REQUIRED']);
    expect(await send(ada.browser, { where: { internalNote: 'x' } })).toEqual([400, 'INVALID_QUERY']);
    expect(await send(ada.browser, { where: { title: { like: 'x' } } })).toEqual([400, 'INVALID_QUERY']);
    expect(await send(ada.browser, { ids: ['x'] })).toEqual([400, 'INVALID_QUERY']);
    expect(await send(ada.browser, { id: 'a b' })).toEqual([400, 'VALIDATION_FAILED']);
    expect(await send(ada.browser, { limit: 1 })).toEqual([400, 'VALIDATION_FAILED']);
    const about = { entity: 'comments', where: { document: { title: 'x' } } };
    expect(await send(ada.browser, about)).toEqual([400, 'INVALID_QUERY']);
    for (let index = 0; index < 49; index += 1)
      expect(await send(ada.browser, { id: `s${index}` })).toEqual([201, undefined]);
    expect(await send(ada.browser, { id: 'more' })).toEqual([429, 'RATE_LIMITED']);
    expect((await remove(grace.browser, `/api/live/subscriptions/${streamId}/s`)).status).toBe(404);
    expect((await remove(ada.browser, `/api/live/subscriptions/${streamId}/s`)).status).toBe(204);
    expect((await remove(ada.browser, `/api/live/subscriptions/${streamId}/s`)).status).toBe(404);
    expect(await send(ada.browser, { id: 'more' })).toEqual([201, undefined]);
  });
});

async function signUpEach(world: LiveWorld, count: number): Promise<[EntityClient, EntityClient, EntityClient]> {
  const clients: EntityClient[] = [];
  for (let index = 0; index < Math.max(3, count); index += 1) clients.push(await world.servers[0].signUp());
  const [first, second, third] = clients;
  if (!first || !second || !third) throw new TypeError('A user is missing.');
  return [first, second, third];
}
