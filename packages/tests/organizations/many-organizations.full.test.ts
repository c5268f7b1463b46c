import { setImmediate } from 'node:timers/promises';
import { defineAccess } from '@x/access';
import { toEntityTables } from '@x/entity';
import { createOrganizations } from '@x/organizations';
import { createServer } from '@x/server';
import type { Stores, UserId } from '@x/store';
import { eq } from '@x/store/where';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Client } from './support/client.ts';
import { allEngines } from './support/all-engines.ts';
import { countSteps } from './support/count-steps.ts';

// Made, reset and deleted in three minutes if they are 10 000, as in `npm run test:deep`.
const owned = process.env['DEEP'] ? 10_000 : 1000;

const everybody = { roles: ['owner', 'admin', 'member'] as const };
const definition = defineAccess({
  entities: { organization: everybody },
  entitlements: {
    'organization:read': everybody,
    'organization:manage': everybody,
    'organization:invite': everybody,
  },
});

const organizations = createOrganizations({ definition });
const tables = toEntityTables(organizations.models);

/** An app with a user who created many organizations for an address that they never proved. */
async function squat(open: () => Promise<Stores>) {
  const { stores, longest, transactions } = countSteps(await open());
  const sent: string[] = [];
  const server = await createServer({
    database: stores,
    auth: {
      production: false,
      session: { strategy: 'jwt' },
      emailVerification: { enabled: true, onSend: () => {} },
      passwordReset: { enabled: true, onSend: (_, token) => void sent.push(token) },
    },
    access: { definition },
    organizations,
  });
  onTestFinished(() => server.close());
  await server.initialize();
  const client = new Client(server);
  const squatter = await client.signUp('ada@example.com');
  const [accomplice, stranger] = [await client.signUp('eve@example.com'), await client.signUp('zoe@example.com')];
  await createMany(stores, squatter.id as UserId, accomplice.id as UserId);
  await client.send('POST', '/api/auth/forgot-password', '', { email: 'ada@example.com' });
  await server.auth.drain();
  longest.steps = 0;
  const [token = ''] = sent;
  return { ...{ server, stores, client, squatter, accomplice, stranger, longest, transactions }, token };
}

/** The accomplice is an admin of each tenth. */
async function createMany(stores: Stores, userId: UserId, other: UserId): Promise<void> {
  const now = stores.clock.now();
  for (let first = 0; first < owned; first += 250) {
    await stores.transaction(async ({ entities, roleAssignments }) => {
      for (let index = first; index < first + 250; index += 1) {
        const id = crypto.randomUUID();
        const row = { id, name: 'Acme', slug: id, createdBy: userId, createdAt: now, updatedAt: now };
        await entities.create('organizations', row);
        const resource = { type: 'organization', id };
        await roleAssignments.assign({ userId, resource, role: 'owner' }, { by: userId });
        if (index % 10 === 0) await roleAssignments.assign({ userId: other, resource, role: 'admin' }, { by: userId });
      }
    });
  }
}

const password = 'another horse battery';

describe.each(allEngines)(`an account with ${owned} organizations on $name`, ({ open }) => {
  it(
    'is reset, handed to its owner, and deleted in small transactions, between which others are served',
    {
      timeout: 600_000,
    },
    async () => {
      const test = await squat(() => open(tables));
      const { server, stores, client, squatter, accomplice, stranger, longest, transactions } = test;
      const { roleAssignments } = stores;
      const before = transactions.count;
      let isReset = false;
      const reset = client.send('POST', '/api/auth/reset-password', '', { token: test.token, password }).finally(() => {
        isReset = true;
      });
      while (transactions.count - before <= 3) await setImmediate();
      expect((await squatter.get('/api/organizations')).status).toBe(401);
      expect((await stranger.post('/api/organizations', { name: 'Mine' })).status).toBe(201);
      expect(isReset).toBe(false);
      expect((await reset).status).toBe(200);
      expect(await roleAssignments.listByUser(accomplice.id as UserId)).toEqual([]);
      expect(longest.steps).toBeLessThan(1000);

      const signedIn = await client.signIn('ada@example.com', password);
      expect((await signedIn.get('/api/auth/tenants')).body).toMatchObject({ tenants: { length: owned } });
      longest.steps = 0;
      expect((await signedIn.delete('/api/auth/account')).status).toBe(200);
      expect((await signedIn.get('/api/organizations')).status).toBe(401);
      while ((await stores.users.listUnfinished({ after: null, limit: 1 })).length > 0) await server.auth.prune();
      expect(longest.steps).toBeLessThan(1000);
      expect(await stores.users.findById(squatter.id as UserId)).toBeNull();
      const order = [{ column: 'id', direction: 'asc' }] as const;
      const left = { where: eq('createdBy', squatter.id), order, after: null, limit: 1 };
      expect((await stores.entities.list('organizations', left)).records).toEqual([]);
    },
  );
});
