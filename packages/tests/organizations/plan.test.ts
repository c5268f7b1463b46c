import { type AccessDefinition, type AccessModel, defineAccess } from '@x/access';
import { toEntityTables } from '@x/entity';
import { createOrganizations } from '@x/organizations';
import { createServer } from '@x/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Client } from './support/client.ts';
import { engines, type Open } from './support/companies.ts';

const everybody = { roles: ['owner', 'member'] as const };
const model = {
  entities: { organization: everybody },
  entitlements: {
    'organization:read': everybody,
    'organization:manage': everybody,
    'organization:invite': everybody,
    'organization:draw': everybody,
  },
};

const limits = (max: number) => ({ drawings: { gates: 'organization:draw', per: 'day', max } }) as const;

/** Plans with a limit. The fallback is called `free`, and given to no organization. */
const limited = defineAccess({
  ...model,
  plans: {
    free: { group: 'base', features: [], limits: limits(2) },
    pro: { group: 'base', features: [], limits: limits(3) },
  },
});

/** Plans without limits. */
const unlimited = defineAccess({
  ...model,
  plans: {
    free: { group: 'base', features: [] },
    pro: { group: 'base', features: ['organization:draw'] },
    badge: { addOn: true },
  },
});

/** An app with an organization, which counts its drawings. */
async function startApp(open: Open, definition: AccessDefinition<AccessModel>) {
  const organizations = createOrganizations({ definition });
  const server = await createServer({
    database: open(toEntityTables(organizations.models)),
    auth: { production: false, session: { strategy: 'jwt' } },
    organizations,
  });
  onTestFinished(() => server.close());
  await server.initialize();
  const owner = await new Client(server).signUp('ada@example.com');
  const { id } = await owner.create('/api/organizations', { name: 'Acme' });
  const caller = { userId: owner.id, tenantId: id, role: null, secondFactorAt: null };
  const draw = async () =>
    server.access?.contextFor(caller).canAndConsume('organization:draw', { type: 'organization', id });
  const choose = (plan: string) => owner.post(`/api/organizations/${id}/plan`, { plan });
  return { owner, id, draw, choose, stores: server.stores, path: `/api/organizations/${id}` };
}

describe.each(engines)('a change of plans on $name', ({ open }) => {
  it('continues the periods of the fallback, which the organization was never given', async () => {
    const { draw, choose } = await startApp(open, limited);
    expect([await draw(), await draw(), await draw()]).toEqual([true, true, false]);
    expect((await choose('free')).body).toMatchObject({ limits: [{ key: 'drawings', consumed: 2, remaining: 0 }] });
    expect((await choose('pro')).body).toMatchObject({ limits: [{ key: 'drawings', consumed: 2, remaining: 1 }] });
  });

  it('continues the periods of the fallback after the end of a plan', async () => {
    const { id, draw, choose, stores } = await startApp(open, limited);
    const ago = (hours: number): Date => new Date(stores.clock.now().getTime() - hours * 3_600_000);
    const ended = { tenantId: id, group: 'base', planName: 'pro', startedAt: ago(5), expiresAt: ago(1) };
    await stores.subscriptions.assign(ended);
    expect([await draw(), await draw(), await draw()]).toEqual([true, true, false]);
    expect((await choose('pro')).body).toMatchObject({ limits: [{ key: 'drawings', consumed: 2, remaining: 1 }] });
  });
});

describe.each(engines)('plans without limits on $name', ({ open }) => {
  it('are shown with the add-ons', async () => {
    const { owner, path, choose } = await startApp(open, unlimited);
    const nothing = { limits: [], addOns: [], incompatible: [] };
    expect((await owner.get(`${path}/plan`)).body).toEqual({ ...nothing, plan: 'free' });
    expect((await choose('pro')).body).toEqual({ ...nothing, plan: 'pro' });
    const attached = await owner.post(`${path}/add-ons`, { addOn: 'badge', attach: true });
    expect(attached.body).toEqual({ ...nothing, plan: 'pro', addOns: [{ name: 'badge', quantity: 1 }] });
  });
});
