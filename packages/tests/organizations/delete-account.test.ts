import { defineAccess, rules } from '@x/access';
import { defineEntity, defineModel, field, toEntityTables } from '@x/entity';
import { createOrganizations } from '@x/organizations';
import { createServer } from '@x/server';
import type { UserId } from '@x/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Client } from './support/client.ts';
import { engines, type Open } from './support/companies.ts';

const definition = defineAccess({
  entities: {
    organization: { roles: ['owner', 'member'] },
    board: { roles: ['editor'], inherits: { 'organization:owner': 'editor' } },
  },
  entitlements: {
    'organization:read': { roles: ['owner', 'member'] },
    'organization:manage': { roles: ['owner'] },
    'organization:invite': { roles: ['owner'] },
    'board:read': { roles: ['editor'] },
  },
});

const read = rules.entitlement('board:read');
/** The app itself places them below an organization, so that the database does not delete them with it. */
const boards = defineEntity({
  model: defineModel('boards', { fields: { organizationId: field.text() } }),
  definition,
  resource: { type: 'board' },
  access: { list: read, get: read, create: rules.authenticated(), update: false, delete: false },
  hooks: {
    after: {
      async create({ id, organizationId }, { stores }) {
        await stores.hierarchy.attach({
          child: { type: 'board', id },
          parent: { type: 'organization', id: organizationId },
        });
      },
    },
  },
});

/** An app that is told of organizations that are deleted, and may refuse that. */
async function startApp(open: Open) {
  const told: string[] = [];
  const refused = new Set<string>();
  const organizations = createOrganizations({ definition, personal: () => ({ name: 'Home' }) });
  const { entity } = organizations;
  const watched: typeof entity = {
    ...entity,
    hooks: {
      ...entity.hooks,
      after: {
        ...entity.hooks.after,
        delete: ({ id, name }) => {
          told.push(`deleted ${name}`);
          if (refused.has(id)) throw new Error('A board is in use.');
        },
      },
      afterCommit: { delete: ({ name }) => void told.push(`committed ${name}`) },
    },
  };
  const server = await createServer({
    database: open(toEntityTables([...organizations.models, boards.model])),
    auth: { production: false, session: { strategy: 'jwt' } },
    access: { definition },
    organizations: { ...organizations, entity: watched },
    entities: [boards],
  });
  onTestFinished(() => server.close());
  await server.initialize();
  return { client: new Client(server), server, told, refused };
}

describe.each(engines)('the deletion of an account on $name', ({ open }) => {
  it('deletes its organizations as their route does, with hooks and with rows that do not cascade', async () => {
    const { client, server, told } = await startApp(open);
    const ada = await client.signUp('ada@example.com');
    const { id: organizationId } = await ada.create('/api/organizations', { name: 'Acme' });
    const board = await ada.create('/api/boards', { organizationId });
    expect((await ada.delete('/api/auth/account')).status).toBe(200);
    expect(told.toSorted()).toEqual(['committed Acme', 'committed Home', 'deleted Acme', 'deleted Home']);
    const system = server.entities.asSystem();
    expect(await system.get(boards, board.id)).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
    expect(await system.list({ name: 'organizations', model: boards.model })).toMatchObject({ value: { items: [] } });
  });

  it('tells no process of a commit while a hook fails, and goes on at a later pruning', async () => {
    const { client, server, told, refused } = await startApp(open);
    const ada = await client.signUp('ada@example.com');
    const { id: organizationId } = await ada.create('/api/organizations', { name: 'Acme' });
    const board = await ada.create('/api/boards', { organizationId });
    refused.add(organizationId);
    expect((await ada.delete('/api/auth/account')).status).toBe(200);
    expect(told.filter((each) => each.startsWith('committed'))).toEqual([]);
    expect(await server.entities.asSystem().get(boards, board.id)).toMatchObject({ ok: true });
    expect((await ada.get('/api/organizations')).status).toBe(401);
    refused.clear();
    expect(await server.auth.prune()).toMatchObject({ accounts: 1 });
    expect(told.filter((each) => each.startsWith('committed'))).toHaveLength(2);
    expect(await server.entities.asSystem().get(boards, board.id)).toMatchObject({ ok: false });
  });

  it('gives the account no role any more while it is unfinished', async () => {
    const { client, server, refused } = await startApp(open);
    const [ada, bob] = [await client.signUp('ada@example.com'), await client.signUp('bob@example.com')];
    const { id } = await ada.create('/api/organizations', { name: 'Acme' });
    refused.add(id);
    expect((await ada.delete('/api/auth/account')).status).toBe(200);
    const { id: others } = await bob.create('/api/organizations', { name: 'Others' });
    for (const [route, body] of [
      ['set-role', { userId: ada.id, role: 'member' }],
      ['transfer', { userId: ada.id }],
    ] as const) {
      expect((await bob.post(`/api/organizations/${others}/${route}`, body)).status).toBe(404);
    }
    refused.clear();
    await server.auth.prune();
    expect(await server.stores.users.findById(ada.id as UserId)).toBeNull();
  });

  it('refuses the owner of an organization with other members, and changes nothing', async () => {
    const { client, server } = await startApp(open);
    const [ada, bob] = [await client.signUp('ada@example.com'), await client.signUp('bob@example.com')];
    const { id } = await ada.create('/api/organizations', { name: 'Acme' });
    const resource = { type: 'organization', id };
    await server.stores.roleAssignments.assign({ userId: bob.id as UserId, resource, role: 'member' });
    expect((await ada.delete('/api/auth/account')).status).toBe(409);
    expect((await ada.get('/api/organizations')).body).toMatchObject({ items: [{}, {}] });
  });
});
