import { createScryptHasher } from '@x/auth';
import { rules } from '@x/access';
import { belongsTo, defineEntity, defineModel, field, toEntityTables } from '@x/entity';
import { createServer, type Server } from '@x/server';
import { type EntityTable, type OwnMigration, type Stores, toUserId, type UserId } from '@x/store';
import { TestClient } from '../support/test-client.ts';

// An app that writes every table of the stores. When it changes, its databases of earlier releases have to follow.

const folderModel = defineModel('folders', { fields: { name: field.text({ maxLength: 80 }) } });

const noteModel = defineModel('notes', {
  audit: true,
  fields: {
    ownerId: field.text({ serverValue: ({ userId }) => userId }),
    folderId: field.uuid({ references: 'folders', onDelete: 'setNull', nullable: true }),
    title: field.text({ maxLength: 80, unique: true }),
    isDone: field.boolean({ default: false }),
    state: field.enum(['open', 'held']),
    count: field.integer(),
    ratio: field.number(),
    price: field.decimal(10, 2),
    dueAt: field.timestamp({ nullable: true }),
    day: field.date(),
    labels: field.json(),
  },
  relations: { folder: belongsTo('folderId') },
  unique: [['ownerId', 'day']],
  indexes: [['ownerId', 'count:desc'], { fields: ['dueAt'], where: { isDone: false } }],
});

const own = rules.all(rules.authenticated(), rules.where({ ownerId: rules.user.id }));
const all = rules.authenticated();
const entities = [
  defineEntity({ model: folderModel, access: { list: all, get: all, create: all, update: all, delete: all } }),
  defineEntity({ model: noteModel, access: { list: own, get: own, create: own, update: own, delete: own } }),
] as const;

/** The tables of the entities of the app. */
export const entityTables: readonly EntityTable[] = toEntityTables([folderModel, noteModel]);

/** The steps of the app's own. */
export const migrations: readonly OwnMigration[] = [
  { id: '2026-01-things', up: async (sql) => void (await sql`CREATE TABLE things (id TEXT PRIMARY KEY)`) },
];

interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** How Ada signs in. */
export const ada: Credentials = { email: 'ada@example.com', password: 'correct horse battery' };
const grace: Credentials = { email: 'grace@example.com', password: 'correct horse battery' };

/** A note as Ada writes it. */
export const note: Readonly<Record<string, unknown>> = {
  title: 'Über',
  state: 'held',
  count: Number.MAX_SAFE_INTEGER,
  ratio: 0.1,
  price: '12.50',
  dueAt: '2026-01-31T12:00:00.123Z',
  day: '2026-01-31',
  labels: { a: [1, 'two', null] },
};

/** Serves the app, and makes browsers for it. */
export async function serve(database: Stores): Promise<{ readonly server: Server; readonly client: () => TestClient }> {
  const server = await createServer({
    database,
    auth: {
      production: false,
      baseUrl: origin,
      session: { strategy: 'jwt' },
      passwordHasher: createScryptHasher({ ln: 1, r: 1, p: 1 }),
    },
    entities,
    logger: false,
  });
  await server.initialize();
  return { server, client: () => new TestClient(origin, (request) => server.fetch(request)) };
}

const origin = 'http://localhost:3000';

/** Writes something into every table. */
export async function fill(stores: Stores): Promise<void> {
  const { server, client } = await serve(stores);
  const [browser, other] = [client(), client()];
  const adaId = toUserId((await browser.post('/api/auth/signup', ada)).body.user.id);
  const graceId = toUserId((await other.post('/api/auth/signup', grace)).body.user.id);
  const { id } = (await browser.post('/api/folders', { name: 'Notes' })).body;
  await browser.post('/api/notes', { ...note, folderId: id });
  await browser.send(`/api/folders/${id}`, { method: 'PATCH', body: { name: 'All notes' } });
  await other.post('/api/auth/signout');
  await fillAccounts(stores, graceId);
  await fillAccess(stores, adaId);
  const until = new Date(stores.clock.now().getTime() + 60_000);
  await stores.liveStreams.open({ id: 's', userId: adaId }, { until, atMost: 1 });
  const subscription = { id: 'notes', query: { entity: 'notes' } };
  await stores.liveStreams.subscribe({ id: 's', userId: adaId }, subscription, { atMost: 1 });
  await stores.sql`INSERT INTO things (id) VALUES ('a')`;
  await server.close();
}

async function fillAccounts(stores: Stores, userId: UserId): Promise<void> {
  const expiresAt = new Date(stores.clock.now().getTime() + 3_600_000);
  const token = { userId, email: grace.email, newEmail: null, expiresAt };
  await stores.emailVerifications.replace({ ...token, tokenHash: 'a'.repeat(43), newEmail: 'g@example.com' });
  await stores.passwordResets.replace({ ...token, tokenHash: 'b'.repeat(43) });
  await stores.oneTimeIds.claim('c'.repeat(43), expiresAt);
  await stores.mfa.startSetup({ userId, secret: 'secret', expiresAt });
  await stores.mfa.enable(userId, { secret: 'secret', step: 1000, backupCodeHashes: ['d'.repeat(43)] });
  await stores.oauthAccounts.link({ userId, provider: 'google', providerId: '1', email: grace.email });
  await stores.rateLimits.check('key', 5, 60_000);
  await stores.counters.add('orders', 7);
}

async function fillAccess(stores: Stores, userId: UserId): Promise<void> {
  const tenantId = 'acme';
  const cause = { by: userId, tenantId };
  const resource = { type: 'project', id: 'p' };
  await stores.hierarchy.attach({ child: resource, parent: { type: 'organization', id: tenantId } }, cause);
  await stores.roleAssignments.assign({ userId, resource, role: 'viewer' }, cause);
  await stores.roleAssignments.assign({ groupId: 'g', resource, role: 'editor' }, cause);
  await stores.groups.add({ tenantId, groupId: 'g', member: { userId } }, cause);
  await stores.groups.add({ tenantId, groupId: 'all', member: { groupId: 'g' } }, cause);
  await stores.flags.set({ tenantId, name: 'beta' }, true, cause);
  await stores.flags.set({ tenantId: null, name: 'beta' }, false, cause);
  const startedAt = stores.clock.now();
  await stores.subscriptions.assign({ tenantId, group: 'base', planName: 'pro', startedAt }, cause);
  await stores.subscriptions.updateOverrides(tenantId, { seats: { max: 5 } }, cause);
  await stores.subscriptions.attach({ tenantId, addOn: 'more', quantity: 2 }, cause);
  const debits = [{ limit: 'exports', periodStart: startedAt, amount: 1, max: 5 }];
  await stores.wallets.consume({ tenantId, receiptId: 'r', idempotencyKey: 'k', debits });
}
