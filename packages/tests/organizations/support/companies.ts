import { defineAccess } from '@x/access';
import { toEntityTables } from '@x/entity';
import { createOrganizations, type SentInvitation } from '@x/organizations';
import { createServer } from '@x/server';
import type { Stores, UserId } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { createSqliteStores } from '@x/store-sqlite';
import { patient } from '@x/store-testing';
import { expect, onTestFinished } from 'vitest';
import { Client, type SignedIn } from './client.ts';

type Tables = ReturnType<typeof toEntityTables>;

/** Opens empty stores with some tables. */
export type Open = (entities: Tables) => Stores;

/** The engines that every test runs on. */
export const engines: readonly { readonly name: string; readonly open: Open }[] = [
  { name: 'memory', open: (entities) => createMemoryStores({ patience: patient, entities }) },
  { name: 'SQLite', open: (entities) => createSqliteStores({ patience: patient, path: ':memory:', entities }) },
];

const definition = defineAccess({
  entities: { organization: { roles: ['owner', 'admin', 'member'] } },
  entitlements: {
    'organization:read': { roles: ['owner', 'admin', 'member'] },
    'organization:manage': { roles: ['owner', 'admin'] },
    'organization:invite': { roles: ['owner', 'admin'] },
  },
});

/** A server with organizations whose mails are caught. */
export interface Companies {
  readonly client: Client;
  readonly stores: Stores;
  readonly sent: readonly SentInvitation[];
  readonly close: () => Promise<void>;
  /** Makes a person a member, as if they had accepted an invitation. */
  readonly enroll: (organizationId: string, person: SignedIn, role: string) => Promise<void>;
  /** Signs a person up who proves their address. */
  readonly join: (name: string) => Promise<{ readonly person: SignedIn; readonly email: string }>;
}

/**
 * Starts an app with organizations alone.
 *
 * @param beforeSend - is awaited before a mail counts as sent
 */
export async function companies(open: Open, beforeSend?: () => Promise<void>): Promise<Companies> {
  const sent: SentInvitation[] = [];
  const onSend = async (each: SentInvitation): Promise<void> => {
    await beforeSend?.();
    sent.push(each);
  };
  const tokens = new Map<string, string>();
  const organizations = createOrganizations({ definition, invitations: { onSend } });
  const server = await createServer({
    database: open(toEntityTables(organizations.models)),
    auth: {
      production: false,
      session: { strategy: 'jwt' },
      emailVerification: { enabled: true, onSend: ({ email }, token) => void tokens.set(email, token) },
    },
    access: { definition },
    organizations,
  });
  onTestFinished(() => server.close());
  await server.initialize();
  const client = new Client(server);
  return {
    client,
    stores: server.stores,
    sent,
    close: () => server.close(),
    async enroll(id, person, role) {
      const assignment = { userId: person.id as UserId, resource: { type: 'organization', id }, role };
      await server.stores.roleAssignments.assign(assignment, { tenantId: id });
    },
    async join(name) {
      const email = `${name}-${crypto.randomUUID()}@example.com`;
      const person = await client.signUp(email);
      await expect.poll(() => tokens.has(email)).toBe(true);
      expect((await person.post('/api/auth/verify-email', { token: tokens.get(email) })).status).toBe(200);
      return { person, email };
    },
  };
}
