import { defineAccess } from '@x/access';
import { createOrganizations } from '@x/organizations';
import { createServer } from '@x/server';
import { expect, it, onTestFinished } from 'vitest';
import { Client, type SignedIn } from './support/client.ts';

/** Signs up to an app in which everybody has a workspace, and may create further ones. */
async function signUp(bounds: { readonly maxOwned?: number }): Promise<SignedIn> {
  const everybody = { roles: ['owner', 'member'] as const };
  const definition = defineAccess({
    entities: { organization: everybody },
    entitlements: {
      'organization:read': everybody,
      'organization:manage': everybody,
      'organization:invite': everybody,
    },
  });
  const organizations = createOrganizations({ definition, personal: () => ({ name: 'Home' }), ...bounds });
  const auth = { production: false, session: { strategy: 'jwt' } } as const;
  const server = await createServer({ auth, access: { definition }, organizations });
  onTestFinished(() => server.close());
  await server.initialize();
  return new Client(server).signUp('ada@example.com');
}

async function createSeveral(user: SignedIn, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await user.create('/api/organizations', { name: `Acme ${index}` });
}

it('lets no user own more organizations than they may, of which the workspace is one', async () => {
  const ada = await signUp({ maxOwned: 3 });
  await createSeveral(ada, 2);
  expect(await ada.post('/api/organizations', { name: 'One too many' })).toMatchObject({
    status: 403,
    body: { error: { code: 'FORBIDDEN', meta: { reason: 'too_many_owned' } } },
  });
});

it('lets no user create more than ten organizations in an hour', async () => {
  const ada = await signUp({});
  await createSeveral(ada, 10);
  expect(await ada.post('/api/organizations', { name: 'One too many' })).toMatchObject({
    status: 403,
    body: { error: { code: 'FORBIDDEN', meta: { reason: 'too_many_created' } } },
  });
});
