import { expect, it } from 'vitest';
import { patch, remove } from '../../support/entity-server.ts';
import { LiveReader } from '../../support/live-reader.ts';
import { assign, createLiveWorld } from '../../support/live-world.ts';

/** The notices of an observer while other users change rows that it may not read, or do nothing. */
async function observe(engine: 'memory' | 'sqlite', isHidden: boolean): Promise<string> {
  const world = await createLiveWorld(engine);
  const [{ server, signUp }] = world.servers;
  const [observer, owner, friend] = [
    await signUp({ tenantId: 'one' }),
    await signUp({ tenantId: 'two' }),
    await signUp(),
  ];
  const { id: organizationId } = (await owner.browser.post('/api/organizations', { name: 'A' })).body;
  await world.stores.subscriptions.assign({ tenantId: organizationId, planName: 'pro', group: 'base' });
  const reader = await LiveReader.open(server, observer.browser, undefined, '?updatedAt=true');
  for (const entity of ['notes', 'projects', 'reports', 'organizations', 'documents']) {
    await world.subscribe(observer, reader, { id: entity, entity });
  }
  if (isHidden) {
    const { id } = (await owner.browser.post('/api/projects', { organizationId, name: 'P' })).body;
    await owner.browser.post('/api/reports', { projectId: id, name: 'R' });
    await owner.browser.post('/api/notes', { title: 'Theirs' });
    await owner.browser.post('/api/documents', { title: 'Theirs', shared: true });
    await assign(world, friend.userId, 'member', organizationId);
    await patch(owner.browser, `/api/projects/${id}`, { name: 'Q' });
    await world.stores.subscriptions.assign({ tenantId: organizationId, planName: 'free', group: 'base' });
    await world.stores.flags.set({ tenantId: 'two', name: 'beta' }, true);
    await remove(owner.browser, `/api/projects/${id}`);
  }
  await observer.browser.post('/api/notes', { title: 'Own' });
  await reader.next('change');
  reader.leave();
  await reader.ended();
  // The cursors are sealed, ids are random, and the clock runs.
  const varying = /^id: .*$|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z/gm;
  return reader.text.replaceAll(varying, '…');
}

it.each(['memory', 'sqlite'] as const)(
  'a stream on %s does not depend on changes of rows that its user may not read',
  async (engine) => {
    const [seen, control] = [await observe(engine, true), await observe(engine, false)];
    expect(control).toContain('event: change');
    expect(seen).toBe(control);
  },
);
