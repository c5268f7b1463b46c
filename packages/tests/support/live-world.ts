import { rules } from '@x/access';
import { defineEntity, defineModel, type Entity, field, toEntityTables } from '@x/entity';
import { type Stores, toUserId } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { createPostgresStores } from '@x/store-postgres';
import { createSqliteStores } from '@x/store-sqlite';
import { ManualClock } from '@x/store-testing/clock';
import { patient } from '@x/store-testing';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMigratedDatabase } from '@x/test-support/database';
import { onTestFinished } from 'vitest';
import { createEntityServer, type EntityClient, type EntityServer } from './entity-server.ts';
import type { LiveReader } from './live-reader.ts';
import { sampleAccess } from './sample-access.ts';
import { sampleEntities } from './sample-entities.ts';
import type { TestDatabase } from './test-server.ts';

const { definition } = sampleAccess;

const organizations = defineEntity({
  model: defineModel('organizations', { fields: { name: field.text() } }),
  definition,
  resource: { type: 'organization', creatorRole: 'owner' },
  access: {
    list: rules.entitlement('organization:read'),
    get: rules.entitlement('organization:read'),
    create: rules.authenticated(),
    update: rules.entitlement('organization:manage'),
    delete: rules.entitlement('organization:manage'),
  },
});

const inOrganization = {
  organizationId: field.uuid({ references: 'organizations', onDelete: 'cascade' }),
  name: field.text(),
  price: field.decimal(8, 2, { nullable: true }),
};

const read = rules.entitlement('project:read');

/** Read by the members of an organization. */
const projects = defineEntity({
  model: defineModel('projects', { fields: inOrganization, parent: 'organizationId' }),
  definition,
  resource: { type: 'project' },
  access: {
    list: read,
    get: read,
    create: rules.entitlement('organization:create-project'),
    update: read,
    delete: read,
  },
});

const exported = rules.entitlement('project:export');

/** Read by those who manage its project, on a plan that has it. */
const reports = defineEntity({
  model: defineModel('reports', {
    fields: { projectId: field.uuid({ references: 'projects', onDelete: 'cascade' }), name: field.text() },
  }),
  definition,
  access: { list: exported, get: exported, create: rules.authenticated(), update: exported, delete: exported },
});

/** The entities of the tests of live. */
const liveEntities: readonly Entity[] = [...sampleEntities, organizations, projects, reports];

/** The engines that processes with live share. */
export const liveEngines = ['memory', 'sqlite', 'postgres'] as const;

/** Several processes on one database, with what tests of live do. */
export interface LiveWorld {
  readonly servers: readonly [EntityServer, EntityServer];
  readonly database: TestDatabase;
  readonly stores: Stores;
  /** Subscribes, by the other process than the one that has the stream. */
  readonly subscribe: (
    who: EntityClient,
    reader: LiveReader,
    request: {
      readonly id: string;
      readonly entity: string;
      readonly where?: object;
      readonly ids?: readonly string[];
    },
  ) => Promise<void>;
}

/** Starts two processes on one database. */
export async function createLiveWorld(engine: (typeof liveEngines)[number]): Promise<LiveWorld> {
  const clock = new ManualClock(new Date().toISOString());
  const entities = toEntityTables(liveEntities.map(({ model }) => model));
  const database = { clock, open: await openerOf(engine, { clock, entities, changes: true }) };
  const options = { entities: liveEntities, access: sampleAccess, database, live: true };
  const servers = [await createEntityServer(options), await createEntityServer(options)] as const;
  return {
    servers,
    database,
    stores: servers[0].server.stores,
    async subscribe({ browser }, reader, request) {
      const other = servers[1].client();
      other.adoptSession(browser);
      const response = await other.post('/api/live/subscriptions', { streamId: reader.streamId, ...request });
      if (response.status !== 201) throw new TypeError(response.text);
    },
  };
}

/** Gives a role. */
export async function assign(
  { stores }: LiveWorld,
  userId: string,
  role: string,
  organizationId: string,
): Promise<void> {
  const resource = { type: 'organization', id: organizationId };
  await stores.roleAssignments.assign({ userId: toUserId(userId), resource, role });
}

type Options = Parameters<typeof createMemoryStores>[0] & { readonly clock: ManualClock };

async function openerOf(engine: (typeof liveEngines)[number], options: Options): Promise<() => Stores> {
  if (engine === 'memory') {
    const stores = createMemoryStores({ patience: patient, ...options });
    return () => stores;
  }
  if (engine === 'sqlite') {
    const path = join(mkdtempSync(join(tmpdir(), 'x-server-test-')), 'test.db');
    return () => createSqliteStores({ patience: patient, path, ...options });
  }
  const database = await createMigratedDatabase();
  onTestFinished(() => database.drop());
  return () => createPostgresStores({ patience: patient, url: database.url, maxConnections: 4, ...options });
}
