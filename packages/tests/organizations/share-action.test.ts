import { defineAccess, rules } from '@x/access';
import { createClient } from '@x/client';
import { createCookieFetch } from '@x/client/cookies';
import { defineEntity, defineModel, field } from '@x/entity';
import { unwrap } from '@x/errors';
import { createOrganizations } from '@x/organizations';
import { createServer } from '@x/server';
import { expect, it, onTestFinished } from 'vitest';

const roles = ['owner', 'editor', 'viewer'] as const;
const definition = defineAccess({
  entities: { organization: { roles }, folder: { roles, inherits: ['organization'] } },
  entitlements: {
    'organization:read': { roles },
    'organization:manage': { roles: ['owner'] },
    'organization:invite': { roles: ['owner'] },
    'folder:read': { roles },
    'folder:write': { roles: ['owner', 'editor'] },
    'folder:share': { roles: ['owner'] },
  },
});
const model = defineModel('folders', {
  fields: { organizationId: field.uuid({ references: 'organizations', onDelete: 'cascade' }), name: field.text() },
  parent: 'organizationId',
});
const [read, write] = [rules.entitlement('folder:read'), rules.entitlement('folder:write')];

async function startApp() {
  const mails: { readonly email: string; readonly token: string | null }[] = [];
  const organizations = createOrganizations({ definition, invitations: { onSend: (mail) => void mails.push(mail) } });
  const folders = defineEntity({
    model,
    definition,
    resource: { type: 'folder' },
    access: { list: read, get: read, create: write, update: write, delete: write },
    actions: { share: organizations.shareAction(model, { entitlement: 'folder:share', roles: ['editor', 'viewer'] }) },
  });
  const entities = [folders] as const;
  const auth = { production: false, session: { strategy: 'jwt' } } as const;
  const server = await createServer({ auth, organizations, entities, logger: false });
  onTestFinished(() => server.close());
  await server.initialize();
  interface App {
    entities: typeof entities;
    organizations: typeof organizations;
  }
  const signUp = async (email: string) => {
    const client = createClient<App>({ baseUrl: 'http://localhost:3000', fetch: createCookieFetch(server.fetch) });
    const signedUp = unwrap(await client.auth.signUp({ email, password: 'correct horse battery' }));
    const { folders: own, organizations: joined } = client.entities;
    return {
      folders: own,
      organizations: joined,
      userId: signedUp?.user.id ?? '',
      join: client.services.invitations.join,
    };
  };
  return { organizations, mails, signUp };
}

it('shares a record with the owner of an address, in any spelling, and then by the id of the user', async () => {
  const { organizations, mails, signUp } = await startApp();
  const [ada, eve] = [await signUp('ada@example.com'), await signUp('eve@example.com')];
  const { id: organizationId } = unwrap(await ada.organizations.create({ name: 'Engines' }));
  const { id } = unwrap(await ada.folders.create({ organizationId, name: 'Plans' }));
  unwrap(await ada.folders.share(id, { email: 'Eve@EXAMPLE.com', role: 'viewer' }));
  await organizations.drain();
  expect(mails).toMatchObject([{ email: 'eve@example.com', role: 'viewer' }]);
  expect((await eve.folders.get(id)).error?.code).toBe('NOT_FOUND');
  unwrap(await eve.join({ token: mails[0]?.token ?? '' }));
  expect(unwrap(await eve.folders.get(id)).name).toBe('Plans');
  expect((await eve.folders.update(id, { name: 'Mine' })).error?.code).toBe('FORBIDDEN');
  expect((await eve.folders.share(id, { userId: eve.userId, role: 'editor' })).error?.code).toBe('FORBIDDEN');
  unwrap(await ada.folders.share(id, { userId: eve.userId, role: 'editor' }));
  expect(unwrap(await eve.folders.update(id, { name: 'Ours' })).name).toBe('Ours');
  unwrap(await ada.folders.share(id, { userId: eve.userId, role: null }));
  expect((await eve.folders.get(id)).error?.code).toBe('NOT_FOUND');
});

it('gives the roles that the action names, and no others', async () => {
  const { signUp } = await startApp();
  const ada = await signUp('ada@example.com');
  const { id: organizationId } = unwrap(await ada.organizations.create({ name: 'Engines' }));
  const { id } = unwrap(await ada.folders.create({ organizationId, name: 'Plans' }));
  // @ts-expect-error: owners are not made by sharing
  const refused = await ada.folders.share(id, { email: 'eve@example.com', role: 'owner' });
  expect(refused.error?.code).toBe('VALIDATION_FAILED');
});
