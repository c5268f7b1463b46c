import { storeUnavailable } from '@x/store';
import { all } from '@x/store/where';
import { describe, expect, it, vi } from 'vitest';
import { engines, openTracker, refusalOf, sortedIdsOf, type TrackerResponse } from '../testing/tracker-app.ts';

describe.each(engines)('resources that consume a limit of a plan on %s', (engine) => {
  it('are created as often as the plan allows, even concurrently', async () => {
    const { send, organizationOf, stores } = await openTracker(engine);
    const organizationId = await organizationOf('ada');
    const tries = Array.from({ length: 40 }, (_, index) =>
      send('ada', 'POST /projects', { organizationId, name: `P${index}` }),
    );
    const responses = await Promise.all(tries);
    const statuses = responses.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([...Array<number>(3).fill(201), ...Array<number>(37).fill(403)]);
    const refused = responses.find(({ status }) => status === 403);
    expect(refused?.body.error).toMatchObject({
      code: 'FORBIDDEN',
      reasons: ['limit_reached'],
      meta: { limit: { key: 'projects', max: 3, consumed: 3, remaining: 0 } },
    });
    expect(await stores.entities.count('projects', all)).toBe(3);
  });

  it('consume nothing if they could not be created', async () => {
    const { send, organizationOf } = await openTracker(engine);
    const organizationId = await organizationOf('ada');
    const create = (body: object): Promise<TrackerResponse> =>
      send('ada', 'POST /projects', { organizationId, ...body });
    expect((await create({ name: 'P', slug: 'p' })).status).toBe(201);
    for (const name of ['P', 'Q', 'R', 'S']) expect(refusalOf(await create({ name, slug: 'p' }))).toBe('409 CONFLICT');
    expect((await create({ name: 'P', slug: 'p' })).body.error.issues).toMatchObject([
      { path: ['slug'], code: 'not_unique' },
    ]);
    const bulk = await send('ada', 'POST /projects/bulk', {
      create: [
        { organizationId, name: 'Q' },
        { organizationId, name: 'R', slug: 'p' },
      ],
    });
    expect(refusalOf(bulk)).toBe('409 CONFLICT');
    expect(bulk.body.error.issues.map(({ path }) => path)).toEqual([
      ['create', 1],
      ['create', 1, 'slug'],
    ]);
    expect((await create({ name: 'Q' })).status).toBe(201);
    expect((await create({ name: 'R' })).status).toBe(201);
    expect(refusalOf(await create({ name: 'S' }))).toBe('403 FORBIDDEN');
  });

  it('are decided by the plan of their own tenant, in lists and alone', async () => {
    const { send, organizationOf, add, give, stores, callers } = await openTracker(engine);
    const [good, bad] = [await organizationOf('ada'), await organizationOf('bob')];
    const [here, there] = [
      await add('ada', 'projects', { organizationId: good, name: 'P' }),
      await add('bob', 'projects', { organizationId: bad, name: 'Q' }),
    ];
    const ids = [here, there].toSorted();
    for (const organization of [good, bad]) await give('eve', 'member', 'organization', organization);
    expect(sortedIdsOf(await send('eve', 'GET /projects'))).toEqual(ids);
    await stores.subscriptions.assign({ tenantId: bad, planName: 'suspended', group: 'base' });
    // Wherever they are at work.
    for (const tenantId of [null, good, bad]) {
      callers.set('eve', { tenantId });
      expect(sortedIdsOf(await send('eve', 'GET /projects'))).toEqual([here]);
      expect((await send('eve', 'GET /projects?count=true')).body).toMatchObject({ total: 1 });
      expect((await send('eve', `GET /projects/${here}`)).status).toBe(200);
      expect(refusalOf(await send('eve', `GET /projects/${there}`))).toBe('404 NOT_FOUND');
    }
    expect(refusalOf(await send('bob', `PATCH /projects/${there}`, { name: 'R' }))).toBe('404 NOT_FOUND');
    await stores.subscriptions.assign({ tenantId: good, planName: 'suspended', group: 'base' });
    expect(sortedIdsOf(await send('eve', 'GET /projects'))).toEqual([]);
  });

  it('are neither missing nor forbidden while it is not known whether the plan allows them', async () => {
    const { send, organizationOf, add, stores } = await openTracker(engine);
    const organizationId = await organizationOf('ada');
    const projectId = await add('ada', 'projects', { organizationId, name: 'P' });
    const reads = [stores.subscriptions, stores.wallets].map((store) => vi.spyOn(store, 'readMany'));
    if (stores.tenantSnapshots) reads.push(vi.spyOn(stores.tenantSnapshots, 'read') as never);
    for (const read of reads) read.mockRejectedValue(storeUnavailable());
    for (const route of [`GET /projects/${projectId}`, 'GET /projects'] as const) {
      expect(refusalOf(await send('ada', route))).toBe('503 SERVICE_UNAVAILABLE');
    }
    for (const read of reads) read.mockRestore();
    expect((await send('ada', `GET /projects/${projectId}`)).status).toBe(200);
  });
});
