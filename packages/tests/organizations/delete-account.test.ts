import { defineAccess, rules } from '@x/access';
import { defineEntity, defineModel, field, toEntityTables } from '@x/entity';
import { createOrganizations } from '@x/organizations';
import { createServer } from '@x/server';
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
        await stores.hierarchy.attach({ type: 'board', id }, { type: 'organization', id: organizationId });
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
  it('deletes its organizations as their route does, with hooks and with what does not cascade', async () => {
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

  it('deletes nothing, and tells nobody of a commit, if a hook fails', async () => {
    const { client, server, told, refused } = await startApp(open);
    const ada = await client.signUp('ada@example.com');
    const { id: organizationId } = await ada.create('/api/organizations', { name: 'Acme' });
    const board = await ada.create('/api/boards', { organizationId });
    refused.add(organizationId);
    expect((await ada.delete('/api/auth/account')).status).toBe(500);
    expect(told.filter((each) => each.startsWith('committed'))).toEqual([]);
    expect(await server.entities.asSystem().get(boards, board.id)).toMatchObject({ ok: true });
    expect((await ada.get('/api/organizations')).body).toMatchObject({ items: [{}, {}] });
  });
});
