import { defineAccess, rules } from '@x/access';
import { defineEntity, defineModel, field, recordAction, toEntityTables } from '@x/entity';
import { createOrganizations, type SentInvitation } from '@x/organizations';
import { createServer } from '@x/server';
import type { Stores } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { createSqliteStores } from '@x/store-sqlite';
import { patient } from '@x/store-testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { Client } from './support/client.ts';

/** The token that was mailed last to each address. */
const tokens = new Map<string, string>();

const auth = {
  production: false,
  session: { strategy: 'jwt' },
  emailVerification: {
    enabled: true,
    onSend: ({ email }: { readonly email: string }, token: string) => void tokens.set(email, token),
  },
} as const;

/** An app in which each user has one organization, and invites no others. */
function createPersonalApp() {
  const definition = defineAccess({
    entities: { organization: { roles: ['owner'] } },
    entitlements: {
      'organization:read': { roles: ['owner'] },
      'organization:manage': { roles: ['owner'] },
      'organization:invite': { roles: ['owner'] },
    },
  });
  const organizations = createOrganizations({ definition, personal: () => ({ name: 'Home' }) });
  const server = createServer({ auth, organizations });
  return { server };
}

/** An app with teams below organizations, to which people are invited one by one. */
function createTeamApp(open: (tables: ReturnType<typeof toEntityTables>) => Stores) {
  const definition = defineAccess({
    entities: {
      company: { roles: ['boss', 'staff'] },
      team: { roles: ['lead', 'player'], inherits: { 'company:boss': 'lead' } },
    },
    entitlements: {
      'company:read': { roles: ['boss', 'staff'] },
      'company:manage': { roles: ['boss'] },
      'company:invite': { roles: ['boss'] },
      'team:read': { roles: ['lead', 'player'] },
      'team:manage': { roles: ['lead'] },
    },
  });
  const sent: SentInvitation[] = [];
  const onSend = (invitation: SentInvitation): void => void sent.push(invitation);
  const fields = { country: field.text({ default: 'NO' }) };
  const organizations = createOrganizations({
    definition,
    type: 'company',
    fields,
    invitations: { accept: 'at-once', onSend },
  });
  const teams = defineEntity({
    model: defineModel('teams', {
      fields: { companyId: field.uuid({ references: 'organizations', onDelete: 'cascade' }), name: field.text() },
      parent: 'companyId',
    }),
    definition,
    resource: { type: 'team', creatorRole: 'lead' },
    access: {
      list: rules.entitlement('team:read'),
      get: rules.entitlement('team:read'),
      create: rules.entitlement('company:manage'),
      update: rules.entitlement('team:manage'),
      delete: rules.entitlement('team:manage'),
    },
  });
  const database = open(toEntityTables([...organizations.models, teams.model]));
  const server = createServer({ database, auth, access: { definition }, organizations, entities: [teams] });
  return { server, sent, organizations };
}

/** An app whose organizations all belong to one customer, whose flags they share. */
function createCustomerApp(open: (tables: ReturnType<typeof toEntityTables>) => Stores, accept: 'always' | 'at-once') {
  const definition = defineAccess({
    entities: { organization: { roles: ['owner', 'member'] } },
    entitlements: {
      'organization:read': { roles: ['owner', 'member'] },
      'organization:manage': { roles: ['owner'] },
      'organization:invite': { roles: ['owner'], flags: ['growing'] },
    },
  });
  const organizations = createOrganizations({ definition, invitations: { accept, onSend: () => undefined } });
  const database = open(toEntityTables(organizations.models));
  const access = { definition, orgResolver: () => 'customer' };
  const setGrowing = (value: boolean) => database.flags.set({ tenantId: 'customer', name: 'growing' }, value);
  return { server: createServer({ database, auth, access, organizations }), setGrowing };
}

async function start({ server: starting }: { readonly server: ReturnType<typeof createServer> }): Promise<Client> {
  const server = await starting;
  onTestFinished(() => server.close());
  await server.initialize();
  return new Client(server);
}

it('gives everybody an organization of their own, without plans and invitations', async () => {
  const client = await start(createPersonalApp());
  const ada = await client.signUp('ada@example.com');
  expect((await ada.get('/api/auth/tenants')).body).toMatchObject({ tenants: [{ name: 'Home' }] });
  const { items } = (await ada.get('/api/organizations')).body as {
    readonly items: readonly { readonly id: string }[];
  };
  const [{ id } = { id: '' }] = items;
  expect(items).toMatchObject([{ name: 'Home', slug: expect.stringMatching(/^home-/) }]);
  expect((await ada.post(`/api/organizations/${id}/leave`, {})).status, 'no other member would be there').toBe(409);
  expect((await ada.get(`/api/organizations/${id}/plan`)).status, 'there are no plans').toBe(404);
  const document = (await ada.get('/api/openapi.json')).body as { readonly paths: object };
  expect(Object.keys(document.paths)).not.toContain('/api/organizations/{id}/plan');
});

it('has owners, admins and members if the app declares nothing else', async () => {
  const mails: SentInvitation[] = [];
  const organizations = createOrganizations({
    personal: () => ({ name: 'Home' }),
    invitations: { onSend: (invitation) => void mails.push(invitation) },
  });
  const client = await start({ server: createServer({ auth, organizations }) });
  const [ada, eve] = [await client.signUp('ada@example.com'), await client.signUp('eve@example.com')];
  const { tenants } = (await ada.get('/api/auth/tenants')).body as { readonly tenants: readonly { id: string }[] };
  const path = `/api/organizations/${tenants[0]?.id}`;
  const guest = { email: 'bob@example.com', role: 'member' };
  expect((await ada.post(`${path}/invite`, { email: 'eve@example.com', role: 'member' })).status).toBe(200);
  await expect.poll(() => mails.length).toBe(1);
  expect((await eve.get(path)).status).toBe(404);
  expect((await eve.post('/api/invitations/join', { token: mails[0]?.token })).status).toBe(200);
  expect((await eve.get(`${path}/members`)).body).toMatchObject({ members: [{ role: 'owner' }, { role: 'member' }] });
  expect((await eve.post(`${path}/invite`, guest)).status).toBe(403);
  expect((await ada.post(`${path}/set-role`, { userId: eve.id, role: 'admin' })).status).toBe(200);
  expect((await eve.post(`${path}/invite`, guest)).status).toBe(200);
});

const engines = {
  memory: (entities: ReturnType<typeof toEntityTables>) => createMemoryStores({ entities }),
  SQLite: (entities: ReturnType<typeof toEntityTables>) =>
    createSqliteStores({ patience: patient, path: ':memory:', entities }),
};

describe.each(Object.entries(engines))('teams below organizations on %s', (_, open) => {
  it('belong to who is in the organization, under names of the app', async () => {
    const app = createTeamApp(open);
    const client = await start(app);
    const [ada, bob] = [await client.signUp('ada@example.com'), await client.signUp('bob@example.com')];
    const company = await ada.create('/api/organizations', { name: 'Acme', country: 'SE' });
    expect(company).toMatchObject({ country: 'SE', slug: expect.stringMatching(/^acme-/) });
    const team = await ada.create('/api/teams', { companyId: company.id, name: 'Red' });
    const setRole = `/api/organizations/${company.id}/set-role`;
    expect((await ada.post(setRole, { userId: bob.id, role: 'owner' })).status, 'no such role').toBe(400);
    expect((await ada.post(setRole, { userId: bob.id, role: 'staff' })).status).toBe(200);
    expect((await bob.get(`/api/teams/${team.id}`)).status).toBe(404);
    expect((await ada.post(setRole, { userId: bob.id, role: 'boss' })).status).toBe(200);
    expect((await bob.get(`/api/teams/${team.id}`)).status).toBe(200);
    expect((await ada.post(`/api/organizations/${company.id}/leave`, {})).status).toBe(200);
    expect((await ada.get(`/api/teams/${team.id}`)).status, 'the role on the team goes, too').toBe(404);
    expect((await bob.post(`/api/organizations/${company.id}/leave`, {})).status).toBe(409);
  });

  it('take who proves the address of an invitation', async () => {
    const app = createTeamApp(open);
    const client = await start(app);
    const ada = await client.signUp('ada@example.com');
    const company = await ada.create('/api/organizations', { name: 'Acme' });
    const email = `eve-${crypto.randomUUID()}@example.com`;
    const invite = { email: email.toUpperCase(), role: 'staff' };
    expect((await ada.post(`/api/organizations/${company.id}/invite`, invite)).status).toBe(200);
    const organizationId = company.id;
    const resource = { type: 'company', id: organizationId };
    await expect
      .poll(() => app.sent)
      .toEqual([
        {
          email,
          role: 'staff',
          organization: { id: organizationId, name: 'Acme' },
          resource,
          invitedBy: 'ada@example.com',
          token: expect.any(String),
          expiresAt: expect.any(Date),
        },
      ]);
    const eve = await client.signUp(email);
    expect((await eve.get(`/api/organizations/${company.id}`)).status).toBe(404);
    await expect.poll(() => tokens.get(email)).toBeDefined();
    expect((await eve.post('/api/auth/verify-email', { token: tokens.get(email) })).status).toBe(200);
    expect((await eve.get(`/api/organizations/${company.id}`)).status).toBe(200);
  });

  it('do not take a squatter whose victim clicks the link of a mail that they did not ask for', async () => {
    const client = await start(createTeamApp(open));
    const ada = await client.signUp('ada@example.com');
    const company = await ada.create('/api/organizations', { name: 'Acme' });
    const email = `boss-${crypto.randomUUID()}@example.com`;
    const squatter = await client.signUp(email);
    await ada.post(`/api/organizations/${company.id}/invite`, { email, role: 'staff' });
    await expect.poll(() => tokens.get(email)).toBeDefined();
    const click = await client.send('POST', '/api/auth/verify-email', '', { token: tokens.get(email) });
    expect(click.status).toBe(200);
    expect((await squatter.get(`/api/organizations/${company.id}`)).status).toBe(404);
    expect((await squatter.get('/api/invitations')).body).toEqual({ items: [], nextCursor: null });
  });
});

describe.each(Object.entries(engines))('invitations of an app with a resolver of its own on %s', (_, open) => {
  async function startInviting(accept: 'always' | 'at-once') {
    const app = createCustomerApp(open, accept);
    const client = await start(app);
    await app.setGrowing(true);
    const ada = await client.signUp('ada@example.com');
    const { id } = await ada.create('/api/organizations', { name: 'Acme' });
    const path = `/api/organizations/${id}`;
    return {
      ...{ app, ada, path },
      invite: async (email: string) =>
        expect((await ada.post(`${path}/invite`, { email, role: 'member' })).status).toBe(200),
      prove: async (email: string) => {
        const person = await client.signUp(email);
        await expect.poll(() => tokens.get(email)).toBeDefined();
        expect((await person.post('/api/auth/verify-email', { token: tokens.get(email) })).status).toBe(200);
        return person;
      },
    };
  }

  it('are accepted only while the tenant that it finds lets who sent them invite', async () => {
    const { app, path, invite, prove } = await startInviting('always');
    const email = `eve-${crypto.randomUUID()}@example.com`;
    await invite(email);
    const eve = await prove(email);
    const { items } = (await eve.get('/api/invitations')).body as {
      readonly items: readonly { readonly id: string }[];
    };
    const choice = { invitationId: items[0]?.id };
    await app.setGrowing(false);
    expect((await eve.post('/api/invitations/accept', choice)).status).toBe(404);
    await app.setGrowing(true);
    expect((await eve.post('/api/invitations/accept', choice)).status).toBe(200);
    expect((await eve.get(path)).status).toBe(200);
  });

  it('are given with the proof of the address only while that tenant lets who sent them invite', async () => {
    const { app, path, invite, prove } = await startInviting('at-once');
    const [early, late] = [`eve-${crypto.randomUUID()}@example.com`, `bob-${crypto.randomUUID()}@example.com`];
    for (const email of [early, late]) await invite(email);
    expect((await (await prove(early)).get(path)).status).toBe(200);
    await app.setGrowing(false);
    expect((await (await prove(late)).get(path)).status).toBe(404);
  });
});

it('are not given at once where no address could ever be proven', async () => {
  const definition = defineAccess({
    entities: { organization: { roles: ['owner', 'member'] } },
    entitlements: {
      'organization:read': { roles: ['owner', 'member'] },
      'organization:manage': { roles: ['owner'] },
      'organization:add': { roles: ['owner'] },
    },
  });
  const invitations = { accept: 'at-once', entitlement: 'organization:add', onSend: () => undefined } as const;
  const organizations = createOrganizations({ definition, invitations });
  const auth = { production: false, session: { strategy: 'jwt' } } as const;
  await expect(createServer({ auth, access: { definition }, organizations })).rejects.toMatchObject({
    problems: [
      expect.stringMatching(/^organizations: .* needs emailVerification, passwordReset or a trusted provider/),
    ],
  });
  const passwordReset = { onSend: () => undefined };
  const server = await createServer({ auth: { ...auth, passwordReset }, access: { definition }, organizations });
  await server.close();
});

describe('the options of organizations', () => {
  const definition = defineAccess({
    entities: { organization: { roles: ['owner', 'member'] } },
    entitlements: { 'organization:read': { roles: ['owner', 'member'] } },
  });

  it('are refused with every problem', () => {
    expect(() =>
      createOrganizations({
        definition,
        roles: { owner: 'boss' },
        invitations: { ttl: 0, onSend: () => undefined },
        // @ts-expect-error There is no such option.
        invite: true,
      }),
    ).toThrow(
      expect.objectContaining({
        problems: [
          expect.stringContaining('invite'),
          'definition: the entitlement "organization:manage" is missing, which members of organizations need.',
          'definition: the entitlement "organization:invite" is missing, which members of organizations need.',
          'roles: "organization" has no role "boss"; it has owner, member.',
          'invitations.ttl: must be a duration such as 7d, of at most ten years.',
        ],
      }),
    );
  });

  it('need a type that the definition has', () => {
    // @ts-expect-error There is no such type.
    expect(() => createOrganizations({ definition, type: 'company' })).toThrow('has no type "company"');
  });
});

/** An app with folders in folders, whose handler gives roles on any of them. */
function createFolderApp() {
  const definition = defineAccess({
    entities: {
      organization: { roles: ['owner'] },
      folder: { roles: ['reader'], inherits: { 'organization:owner': 'reader', 'folder:reader': 'reader' } },
    },
    entitlements: {
      'organization:read': { roles: ['owner'] },
      'organization:manage': { roles: ['owner'] },
      'organization:invite': { roles: ['owner'] },
      'folder:read': { roles: ['reader'] },
    },
  });
  const sent: SentInvitation[] = [];
  const onSend = (invitation: SentInvitation): void => void sent.push(invitation);
  const organizations = createOrganizations({
    definition,
    personal: () => ({ name: 'Home' }),
    invitations: { onSend },
  });
  const model = defineModel('folders', {
    fields: {
      parentId: field.uuid({ references: 'folders', onDelete: 'cascade', nullable: true }),
      organizationId: field.uuid({ references: 'organizations', onDelete: 'cascade', nullable: true }),
    },
    parent: ['parentId', 'organizationId'],
  });
  const read = rules.entitlement('folder:read');
  const folders = defineEntity({
    model,
    definition,
    resource: { type: 'folder' },
    access: { list: read, get: read, create: read, update: false, delete: false },
    actions: {
      share: recordAction(model, {
        rule: read,
        status: 204,
        input: z.strictObject({ folderId: z.string(), email: z.string() }),
        async handler({ input: { folderId: id, email }, ...tools }) {
          const permission = { resource: { type: 'folder', id }, entitlement: 'folder:read' };
          await organizations.invite(tools, { ...permission, email, role: 'reader' });
        },
      }),
    },
  });
  return { server: createServer({ auth, organizations, entities: [folders] }), sent };
}

it('finds the organization above a folder in a folder, and none above what is not there', async () => {
  const app = createFolderApp();
  const server = await app.server;
  await server.initialize();
  onTestFinished(() => server.close());
  const ada = await new Client(server).signUp('ada@example.com');
  const { body } = await ada.get('/api/organizations');
  const [{ id: organizationId }] = (body as { items: readonly [{ readonly id: string }] }).items;
  const top = await ada.create('/api/folders', { organizationId });
  const inner = await ada.create('/api/folders', { parentId: top.id });
  const share = (folderId: string) => ada.post(`/api/folders/${top.id}/share`, { folderId, email: 'eve@example.com' });
  expect((await share(inner.id)).status).toBe(204);
  await expect.poll(() => app.sent).toMatchObject([{ organization: { id: organizationId }, role: 'reader' }]);
  const missing = await share('018f2f6e-7d4a-7cc1-b0a5-6f1f2d3c4b5a');
  expect([missing.status, missing.body]).toMatchObject([404, { error: { code: 'NOT_FOUND' } }]);
});
