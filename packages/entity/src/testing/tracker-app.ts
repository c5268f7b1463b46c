import { type AccessContextFactory, anonymous, createAccessContextFactory, type RuleCaller } from '@x/access';
import { toLogger } from '@x/errors';
import { errorHandler, handleNotFound } from '@x/http';
import type { Resource, Stores, UserId } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { createPostgresStores } from '@x/store-postgres';
import { createSqliteStores } from '@x/store-sqlite';
import { ManualClock } from '@x/store-testing/clock';
import { patient } from '@x/store-testing';
import { createMigratedDatabase } from '@x/test-support/database';
import { Hono, type MiddlewareHandler } from 'hono';
import { onTestFinished } from 'vitest';
import { createEntities, type Entities } from '../create-entities.ts';
import type { Entity } from '../definition/entity.ts';
import { addEntityRoutes } from '../hono.ts';
import { toEntityTables } from '../model/to-entity-tables.ts';
import { definition, trackerEntities, trackerServices } from './tracker.ts';

/** The engines, which must all behave the same. */
export const engines = ['memory', 'sqlite', 'postgres'] as const;

/** A response that has been read completely. */
export interface TrackerResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined if it is not JSON. */
  readonly body: TrackerBody;
}

/** The members of response bodies that tests look at; which ones exist depends on the route. */
interface TrackerBody extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly items: readonly TrackerBody[];
  readonly nextCursor: string | null;
  readonly __access: Readonly<Record<string, { readonly allowed: boolean; readonly reasons: readonly string[] }>>;
  readonly plan: { readonly subscriptions: readonly unknown[] };
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly reason: string;
    readonly reasons: readonly string[];
    readonly meta: Readonly<Record<string, unknown>>;
    readonly issues: readonly { readonly path: readonly (string | number)[] }[];
  };
}

/** Returns the status and the code of a refusal. */
export function refusalOf({ status, body }: TrackerResponse): string {
  return `${status} ${body?.error?.code}`;
}

/** Lists the ids of a page, sorted. */
export function sortedIdsOf({ body }: TrackerResponse): readonly string[] {
  return body.items.map(({ id }) => id).toSorted();
}

/** Sends a request on behalf of a user; null for an anonymous one. */
type Send = (user: string | null, request: string, body?: unknown) => Promise<TrackerResponse>;

/** Organizations, projects, tasks and comments, with their routes and stores. */
export interface TrackerApp {
  readonly send: Send;
  readonly stores: Stores;
  readonly clock: ManualClock;
  readonly entities: Entities;
  /** Callers with a fresh second factor, or in a certain tenant. */
  readonly callers: Map<string, Partial<RuleCaller>>;
  /** Creates an organization for a user and returns its id. */
  readonly organizationOf: (user: string) => Promise<string>;
  /** Creates a record as a user who is allowed to, and returns its id. */
  readonly add: (user: string, entity: string, body: object) => Promise<string>;
  /** Gives a role. */
  readonly give: (user: string, role: string, type: string, id: string) => Promise<void>;
}

/** Opens the tracker on an engine; everything is closed when the test ends. */
export async function openTracker(
  engine: (typeof engines)[number],
  declared: readonly Entity[] = trackerEntities,
): Promise<TrackerApp> {
  const clock = new ManualClock();
  const stores = await openStores(engine, { clock, declared });
  const access = accessOf(stores);
  const entities = createEntities({ entities: declared, services: trackerServices, stores, access });
  const callers = new Map<string, Partial<RuleCaller>>();
  const app = new Hono();
  app.onError(errorHandler(toLogger(false)));
  app.notFound(handleNotFound);
  addEntityRoutes(app, entities, {
    callerOf: (c) => {
      const userId = c.req.header('x-user');
      return userId === undefined ? null : { ...anonymous, role: 'user', userId, ...callers.get(userId) };
    },
    guards: [pass, pass],
  });
  const send: Send = async (user, request, body) => {
    const [method = 'GET', path = '/'] = request.split(' ');
    const headers = { ...(user !== null && { 'x-user': user }), 'content-type': 'application/json' };
    const response = await app.request(path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parse(text) };
  };
  const add: TrackerApp['add'] = async (user, entity, body) => {
    const created = await send(user, `POST /${entity}`, body);
    if (created.status !== 201) throw new Error(`${entity}: ${created.text}`);
    return created.body.id;
  };
  return {
    send,
    stores,
    clock,
    entities,
    callers,
    add,
    organizationOf: (user) => add(user, 'organizations', { name: `${user}'s` }),
    give: async (user, role, type, id) => {
      await stores.roleAssignments.assign({ userId: user as UserId, role, resource: { type, id } });
    },
  };
}

const pass: MiddlewareHandler = (_, next) => next();

function parse(text: string): TrackerBody {
  try {
    return JSON.parse(text) as TrackerBody;
  } catch {
    return undefined as unknown as TrackerBody;
  }
}

/** The tenant of a resource is the organization above it. */
function accessOf(stores: Stores): AccessContextFactory {
  return createAccessContextFactory({
    definition,
    stores,
    async orgResolver(resource, { ancestors, caller }) {
      if (!resource) return caller.tenantId === null ? null : { type: 'organization', id: caller.tenantId };
      return [resource, ...(await ancestors())].find(isOrganization);
    },
  });
}

function isOrganization({ type }: Resource): boolean {
  return type === 'organization';
}

async function openStores(
  engine: (typeof engines)[number],
  { clock, declared }: { readonly clock: ManualClock; readonly declared: readonly Entity[] },
): Promise<Stores> {
  const entities = toEntityTables(declared.map(({ model }) => model));
  if (engine === 'memory') return migrated(createMemoryStores({ patience: patient, clock, entities }));
  if (engine === 'sqlite')
    return migrated(createSqliteStores({ patience: patient, path: ':memory:', clock, entities }));
  const database = await createMigratedDatabase();
  onTestFinished(() => database.drop());
  return migrated(createPostgresStores({ patience: patient, url: database.url, clock, entities }));
}

async function migrated(stores: Stores): Promise<Stores> {
  onTestFinished(() => stores.close());
  await stores.migrate();
  return stores;
}
