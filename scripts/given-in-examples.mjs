/**
 * What the examples of doc comments take for granted, by the folder of their package: imports, and the values of the
 * reader's own app. An example may declare a name anew.
 */
export const givenInExamples = {
  access: `
    import { anonymous, AuthorizationError, computeAccessSet, computeEntityAccess, createAccessAdmin, createAccessContext, createAccessContextFactory, defineAccess, rules } from '@x/access';
    import type { AccessContext, OrgResolver } from '@x/access';
    import { decodeAccessSet, encodeAccessSet } from '@x/access/access-set';
    import { createRequestAccess, requireEntitlement, type RequestAccessOptions } from '@x/access/hono';
    import type { Stores } from '@x/store';
    import type { Context, Hono } from 'hono';

    const model = {
      entities: { project: { roles: ['viewer'] }, task: { roles: ['editor'] } },
      entitlements: {
        'project:read': { roles: ['viewer'] },
        'project:update': { roles: ['viewer'] },
        'project:export': { roles: ['viewer'] },
        'task:update': { roles: ['editor'] },
      },
    } as const;
    const definition = defineAccess(model);
    declare const stores: Stores;
    const { roleAssignments: roleStore, hierarchy: closureStore } = stores;
    declare const orgResolver: OrgResolver;
    declare const callerOf: RequestAccessOptions<typeof model>['callerOf'];
    const contexts = createAccessContextFactory({ definition, stores });
    declare const [userId, callerId, tenantId, id, idempotencyKey]: [string, string, string, string, string];
    const project = { type: 'project', id } as const;
    declare const rename: (id: string) => Promise<void>;
    declare const context: AccessContext<typeof model>;
    declare const access: AccessContext<typeof model>;
    declare const tasks: readonly { readonly id: string }[];
    declare const app: Hono;
    declare const userIdOf: (c: Context) => string | null;
    declare const response: Response;`,
  auth: `
    import { createAuth, describeAuth, googleProvider, oidcProvider, type Auth } from '@x/auth';
    import { errorResponse, requireSession } from '@x/auth/guards';
    import { createApiRequest, createAuthRoutes, session } from '@x/auth/hono';
    import { Hono } from 'hono';

    declare const auth: Auth;
    declare const app: Hono;`,
  client: `
    import { createClient, pages } from '@x/client';
    import { createQueryCache } from '@x/client/cache';
    import { createCookieFetch } from '@x/client/cookies';
    import { importRecords } from '@x/client/import';
    import { followLive } from '@x/client/live';
    import { optimistic, watchList } from '@x/client/list';
    import { useAccess, useConfirmation, useMissingFields, useQuery, useSession } from '@x/client/react';
    import { useList } from '@x/client/react/list';
    import { defineAccess, rules } from '@x/access';
    import { defineEntity, defineModel, field } from '@x/entity';

    declare const [email, password, id]: [string, string, string];
    declare const file: Blob;
    const definition = defineAccess({
      entities: { project: { roles: ['manager'] } },
      entitlements: { 'project:export': { roles: ['manager'] } },
    });
    const state = { done: field.boolean({ default: false }), estimate: field.number({ default: 0 }) };
    const fields = { title: field.text(), projectId: field.text({ default: '' }), ...state };
    const open = { list: rules.public, get: rules.public, create: false, update: false, delete: false } as const;
    const allEntities = [defineEntity({ model: defineModel('tasks', { fields }), access: open })] as const;
    const userFields = {};
    interface Tracker { entities: typeof allEntities; access: typeof definition }
    const client = createClient<Tracker>();
    declare const filter: { readonly done: boolean };
    declare const tasksByState: import('@x/client/cache').Query<typeof filter, readonly unknown[]>;`,
  entity: `
    import { rules, type RuleCaller } from '@x/access';
    import { action, createEntities, defineEntity, defineModel, defineService, field, from } from '@x/entity';
    import { recordAction, type RecordOf, toEntityTables } from '@x/entity';
    import { addEntityRoutes, type EntityRouteOptions } from '@x/entity/hono';
    import type { Clock, Stores } from '@x/store';
    import { createMemoryStores } from '@x/store-memory';
    import type { Hono } from 'hono';
    import { z } from 'zod';

    const model = defineModel('notes', { fields: { ownerId: field.text({ serverValue: () => '' }), title: field.text() } });
    const open = { list: rules.public, get: rules.public, create: rules.public, update: false, delete: false } as const;
    const notes = defineEntity({ model, access: open });
    const tasks = defineEntity({ model: defineModel('tasks', { fields: { title: field.text() } }), access: open });
    declare const stores: Stores;
    declare const clock: Clock;
    declare const caller: RuleCaller;
    declare const id: string;
    declare const app: Hono;
    declare const callerOf: EntityRouteOptions['callerOf'];
    declare const guards: NonNullable<EntityRouteOptions['guards']>;
    const entities = createEntities({ entities: [notes], stores });`,
  errors: `
    import { type StandardSchema, withJsonSchema } from '@x/errors';

    declare const slugSchema: StandardSchema<string>;`,
  openapi: `
    import { describeAuth } from '@x/auth';
    import { createOpenApiDocument } from '@x/openapi';
    import { defineEntity, type Entity } from '@x/entity';

    declare const notes: Entity;`,
  organizations: `
    import { defineAccess } from '@x/access';
    import { createClient } from '@x/client';
    import { createQueryCache } from '@x/client/cache';
    import type { Model } from '@x/entity';
    import { createOrganizations } from '@x/organizations';
    import { createOrganizationHooks } from '@x/organizations/react';
    import { createServer, type ServerOptions } from '@x/server';

    const all = { roles: ['owner'] } as const;
    const definition = defineAccess({
      entities: { organization: all },
      entitlements: { 'organization:read': all, 'organization:manage': all, 'organization:invite': all },
    });
    declare const auth: ServerOptions['auth'];
    declare const mail: (address: string) => void;
    declare const folderModel: Model;
    const ours = createOrganizations({ definition });
    interface App { entities: readonly [typeof ours.entity]; access: typeof definition }
    const client = createClient<App>();`,
  server: `
    import { createServer, type Server, type ServerOptions } from '@x/server';
    import { errorHandler, toExpressHandler } from '@x/server/express';
    import { createMetrics } from '@x/server/metrics';
    import { toFastifyPlugin } from '@x/server/fastify';
    import { toHonoMiddleware } from '@x/server/hono';
    import { createProxy, requireActionRequest, requireActionSession, runAuthStep, toRouteHandlers } from '@x/server/next';
    import { listen, sessionOf, toNodeHandler } from '@x/server/node';
    import { toHandle, toRequestHandler } from '@x/server/sveltekit';
    import http from 'node:http';
    import { createPostgresStores } from '@x/store-postgres';

    declare const url: string;
    declare const auth: ServerOptions['auth'];
    declare const server: Server;
    declare const app: { use(middleware: object): void; register(plugin: object): Promise<void>; setErrorHandler(handler: object): void };`,
  store: `
    import { composeStores, type Clock, type AppSql, type RateLimitStore, type RowSchema, type Stores, type UserId } from '@x/store';

    declare const createPostgresStores: (options: { readonly url: string }) => Stores;
    declare const createRedisRateLimits: (redis: object) => RateLimitStore;
    declare const [url, redis]: readonly [string, object];`,
  'store-testing': `
    import type { Clock, Stores } from '@x/store';
    import { describeStores } from '@x/store-testing';

    declare const createTemporaryPath: () => string;
    declare const openStores: (path: string, clock: Clock) => Stores;
    declare const removeFile: (path: string) => Promise<void>;`,
  'store-memory': `
    import { createMemoryStores } from '@x/store-memory';`,
  'store-postgres': `
    import { systemClock } from '@x/store';
    import { createPostgresStores } from '@x/store-postgres';`,
  'store-sql': `
    import type { Clock } from '@x/store';
    import { createSqlStores, type SqlDriver } from '@x/store-sql';

    declare const createSqliteDriver: (options: { readonly path: string; readonly clock: Clock }) => SqlDriver;
    declare const path: string;
    declare const clock: Clock;`,
  'store-sqlite': `
    import { createSqliteStores } from '@x/store-sqlite';`,
};

/** The reader's own files that a page takes for granted, beside those that its blocks show. */
export const filesInExamples = {
  'packages/server/README.md': {
    'src/lib/server/server.ts': `export { server } from '../../../server.ts';`,
  },
};
