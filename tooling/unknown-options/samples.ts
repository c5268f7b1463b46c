import { generateKeyPairSync } from 'node:crypto';
import {
  createAccessAdmin,
  createAccessContext,
  computeAccessSet,
  defineAccess,
} from '../../packages/access/src/index.ts';
import { createRequestAccess } from '../../packages/access/src/hono.ts';
import { compileRule } from '../../packages/access/src/rule.ts';
import { loadDevelopmentSecret } from '../../packages/auth/src/development.ts';
import { addAuthRoutes, createAuthRoutes } from '../../packages/auth/src/hono.ts';
import * as auth from '../../packages/auth/src/index.ts';
import { addEntityRoutes } from '../../packages/entity/src/hono.ts';
import * as entity from '../../packages/entity/src/index.ts';
import { createCsrfPolicy, csrf, serveContent } from '../../packages/http/src/index.ts';
import { type Result, unwrap } from '../../packages/errors/src/index.ts';
import { createOpenApiDocument, createOpenApiDocumentInSteps } from '../../packages/openapi/src/index.ts';
import { createDatabaseClock, createServer } from '../../packages/server/src/index.ts';
import { listen } from '../../packages/server/src/node.ts';
import { composeStores, systemClock } from '../../packages/store/src/index.ts';
import { createMemoryStores } from '../../packages/store-memory/src/index.ts';
import { createPostgresStores } from '../../packages/store-postgres/src/index.ts';
import { createSqlStores } from '../../packages/store-sql/src/index.ts';
import { createSqliteStores } from '../../packages/store-sqlite/src/index.ts';

/** A function with options. */
export interface Sample {
  /** All its options, at every level; objects of other kinds are not looked into. */
  readonly options: Options;
  /** Calls it with options that may be wrong. */
  readonly call: (options: never) => unknown;
}

export type Options = Readonly<Record<string, unknown>>;

const rule = { type: 'public' } as const;
const stores = createMemoryStores();
const definition = defineAccess({
  entities: { team: { roles: ['lead'] } },
  entitlements: { 'team:read': { roles: [] } },
});
const model = entity.defineModel('notes', { fields: { text: entity.field.text() } });
const everybody = { list: rule, get: rule, create: rule, update: rule, delete: rule };
const notes = entity.defineEntity({ model, access: everybody });
const clock = systemClock;
const run = (): undefined => undefined;
const entities = entity.createEntities({ entities: [notes], stores });
const app = await auth.createAuth({ production: false, session: { strategy: 'jwt' }, stores });
const accessContext = createAccessContext({
  userId: null,
  definition,
  roleStore: stores.roleAssignments,
  closureStore: stores.hierarchy,
  orgResolver: run,
});
const accessAdmin = createAccessAdmin({ definition, stores });

const withoutSecret = {
  clientId: 'id',
  redirectUrl: 'https://app.example.com',
  scopes: ['email'],
  timeout: '1s',
  authorizationUrl: 'https://login.example.com',
  tokenUrl: 'https://login.example.com',
  userInfoUrl: 'https://login.example.com',
  issuer: 'https://login.example.com',
  jwksUrl: 'https://login.example.com',
  mapProfile: run,
};

const provider = { ...withoutSecret, clientSecret: 'secret' };

const applePem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
const appleOptions = { ...withoutSecret, teamId: 'team', keyId: 'key', privateKey: applePem };

const authSettings = {
  production: false,
  baseUrl: 'https://app.example.com',
  basePath: '/api/auth',
  trustedOrigins: [],
  trustProxy: 0,
  session: {
    strategy: 'jwt',
    ttl: '60s',
    refreshTtl: '7d',
    refreshGrace: '10s',
    algorithm: 'ES256',
    cookie: { secure: true, sameSite: 'lax', refreshPath: '/api' },
  },
  emailPassword: {
    rateLimit: { window: '1h', maxAttempts: 1 },
    password: { minLength: 9, requireUppercase: true, requireNumbers: true, blocklist: [], check: run },
  },
  limits: {
    signup: { max: 1, window: '1h' },
    signin: { max: 1, window: '1h', count: 'failures' },
    refresh: { max: 1, window: '1h', count: 'failures', per: 'user' },
    oauth: { max: 1, window: '1h' },
    forgotPassword: { max: 1, window: '1h' },
    resendVerification: { max: 1, window: '1h' },
    mfaChallenge: { max: 1, window: '1h', count: 'failures', per: 'user' },
    mfaStepUp: { max: 1, window: '1h', count: 'failures', per: 'user' },
    store: run,
  },
  emailVerification: { enabled: true, tokenTtl: '1h', onSend: run, genericSignUp: true, onExistingSignUp: run },
  passwordReset: { enabled: true, tokenTtl: '1h', revokeSessionsOnReset: true, onSend: run },
  mfa: { enabled: true, issuer: 'App' },
  tenant: { list: run, isMember: run },
  oauthEncryptionKey: 'key',
  providers: [],
  oauthSuccessRedirect: '/',
  oauthErrorRedirect: '/',
  mfaRedirect: '/',
  privateKey: '',
  publicKey: '',
  verificationKeys: [],
  secrets: ['secret'],
  issuer: 'issuer',
  audience: 'audience',
  developmentKeysPath: '.auth',
};

const authPorts = {
  passwordHasher: run,
  generateUserId: run,
  claims: run,
  onEvent: run,
  onSecurityNotice: run,
  beforeSignUp: run,
  beforeSignIn: run,
  afterSignIn: run,
  onUserCreated: run,
  onEmailProven: run,
  onAccountReclaimed: run,
  beforeUserDelete: run,
  onUserDeleted: run,
};

const fieldOptions = {
  nullable: true,
  default: undefined,
  readOnly: true,
  hidden: true,
  serverValue: run,
  schema: run,
  renamedFrom: 'a',
};

const every = { ...fieldOptions, unique: true };

const actionOptions = {
  input: run,
  output: run,
  rule: [],
  path: 'a',
  status: 200,
  rateLimit: { max: 1, windowSeconds: 1, per: 'caller' },
  summary: 'A',
  errors: [],
  handler: run,
};

const accessSources = {
  definition: run,
  now: run,
  roleStore: run,
  closureStore: run,
  flagStore: run,
  subscriptionStore: run,
  walletStore: run,
  tenantSnapshotStore: run,
};

const info = { title: 'A', version: '1', description: 'A', license: { name: 'A', identifier: 'A', url: 'A' } };
const operator = { by: 'a', tenantId: 'a' };
const grant = { userId: 'a', resource: { type: 'team', id: 'a' }, role: 'lead' };
const hooks = { create: run, update: run, delete: run };
const [page, action] = [
  { limit: 1, after: null },
  { actor: 'a', request: [] },
];

/**
 * The functions with options, by package and by name; a dot leads to what a function returns, or to a level that has names of the app's own.
 */
export const withOptions: Readonly<Record<string, Readonly<Record<string, Sample>>>> = {
  access: {
    defineAccess: { options: { entities: [], entitlements: [], plans: [], defaultPlan: 'a' }, call: defineAccess },
    'defineAccess.entities': {
      options: { roles: [], inherits: [] },
      call: (team) => defineAccess({ entities: { team }, entitlements: {} }),
    },
    'defineAccess.entitlements': {
      options: { roles: [], flags: [], plans: [], rules: rule },
      call: (read) => defineAccess({ entities: {}, entitlements: { 'team:read': read } }),
    },
    'defineAccess.plans': {
      options: { group: 'base', features: [], limits: [], addOn: false },
      call: (plan) => defineAccess({ entities: {}, entitlements: {}, plans: { plan } }),
    },
    'defineAccess.plans of add-ons': {
      options: { addOn: true, features: [], limits: [], requires: { group: 'base', plans: [] } },
      call: (plan) => defineAccess({ entities: {}, entitlements: {}, plans: { plan } }),
    },
    'defineAccess.plans.limits': {
      options: { gates: 'team:read', per: 'day', max: 1 },
      call: (limit) =>
        defineAccess({ entities: {}, entitlements: {}, plans: { a: { group: 'a', features: [], limits: { limit } } } }),
    },
    createAccessContext: {
      options: { ...accessSources, userId: 'a', session: run, orgResolver: run, logger: run },
      call: createAccessContext,
    },
    'createAccessContext.canAll': {
      options: { entitlement: 'team:read', resource: [], row: [] },
      call: (check) => accessContext.canAll([check]),
    },
    'createAccessContext.checkAll': {
      options: { entitlement: 'team:read', resource: [], row: [] },
      call: (check) => accessContext.checkAll([check]),
    },
    'createAccessContext.consume': {
      options: { row: [], amount: 1, idempotencyKey: 'a' },
      call: (options) => accessContext.consume('team:read', undefined, options),
    },
    'createAccessContext.canAndConsume': {
      options: { row: [], amount: 1, idempotencyKey: 'a' },
      call: (options) => accessContext.canAndConsume('team:read', undefined, options),
    },
    'createAccessContext.unconsume': {
      options: { receipt: [], amount: 1 },
      call: (options) => accessContext.unconsume('team:read', undefined, options),
    },
    computeAccessSet: {
      options: { ...accessSources, userId: 'a', session: run, tenantId: 'a' },
      call: computeAccessSet,
    },
    createRequestAccess: {
      options: { ...accessSources, orgResolver: run, logger: run, userIdOf: run },
      call: createRequestAccess,
    },
    createAccessAdmin: { options: { definition: run, stores: run, now: run, maxDepth: 1 }, call: createAccessAdmin },
    'createAccessAdmin.assign': { options: grant, call: (options) => accessAdmin.assign(options, operator) },
    'createAccessAdmin.assign by': { options: operator, call: (by) => accessAdmin.assign(grant as never, by) },
    'createAccessAdmin.revoke': { options: grant, call: (options) => accessAdmin.revoke(options, operator) },
    'createAccessAdmin.move': {
      options: { from: { type: 'team', id: 'a' }, to: { type: 'team', id: 'b' } },
      call: (ends) => accessAdmin.move({ type: 'team', id: 'c' }, ends, operator),
    },
    'createAccessAdmin.assignPlan': {
      options: { startedAt: undefined, expiresAt: null },
      call: (terms) => accessAdmin.assignPlan('a', 'a' as never, operator, terms),
    },
    'createAccessAdmin.setOverrides': {
      options: { max: 1 },
      call: (override) => accessAdmin.setOverrides('a', { limit: override }, operator),
    },
    'createAccessAdmin.attachAddOn': {
      options: operator,
      call: (by) => accessAdmin.attachAddOn('a', 'a' as never, by),
    },
    'createAccessAdmin.detachAddOn': {
      options: operator,
      call: (by) => accessAdmin.detachAddOn('a', 'a' as never, by),
    },
    compileRule: {
      options: { fields: run, entitlements: run, resourceRoles: run },
      call: (options) => compileRule(rule, options, 'place'),
    },
  },
  auth: {
    createAuth: {
      options: { ...authSettings, ...authPorts, stores, accessSet: run, logger: run, userFields: [] },
      call: auth.createAuth,
    },
    'createAuth.userFields': {
      options: { schema: run, public: true, update: true },
      call: (age) => auth.createAuth({ production: false, session: { strategy: 'jwt' }, userFields: { age } }),
    },
    'createAuth.providers': {
      options: provider,
      call: (settings) =>
        auth.createAuth({
          session: { strategy: 'jwt' },
          providers: [{ ...auth.googleProvider(provider as never), settings }],
        }),
    },
    'createAuth.prune': { options: { signal: undefined }, call: (options) => app.prune(options) },
    'createAuth.admin.findUser': { options: { id: 'a', email: 'a' }, call: (options) => app.admin.findUser(options) },
    'createAuth.admin.listUsers': { options: page, call: asThrown((query: object) => app.admin.listUsers(query)) },
    'createAuth.admin.listEvents': {
      options: page,
      call: asThrown((query: object) => app.admin.listEvents({ userId: 'a', ...query })),
    },
    'createAuth.admin.disableUser': { options: action, call: (by) => app.admin.disableUser('a', by) },
    'createAuth.admin.enableUser': { options: action, call: (by) => app.admin.enableUser('a', by) },
    'createAuth.admin.setRole': { options: action, call: (by) => app.admin.setRole('a', 'admin', by) },
    'createAuth.admin.updateUser': { options: action, call: (by) => app.admin.updateUser('a', {}, by) },
    'createAuth.admin.signOutUser': { options: action, call: (by) => app.admin.signOutUser('a', by) },
    'createAuth.admin.removeMfa': { options: action, call: (by) => app.admin.removeMfa('a', by) },
    'createAuth.api, its requests': {
      options: { headers: new Headers(), ipAddress: null },
      call: (options) => app.api.getSession(options),
    },
    'createAuth.api.oauth.start': {
      options: { redirectTo: '/' },
      call: (input) => app.api.oauth.start('google', input, new Headers()),
    },
    describeAuth: { options: { ...authSettings, accessSet: run, userFields: [] }, call: auth.describeAuth },
    appleProvider: { options: appleOptions, call: auth.appleProvider },
    discordProvider: { options: provider, call: auth.discordProvider },
    githubProvider: { options: provider, call: auth.githubProvider },
    gitlabProvider: { options: provider, call: auth.gitlabProvider },
    googleProvider: { options: provider, call: auth.googleProvider },
    microsoftProvider: { options: provider, call: auth.microsoftProvider },
    oidcProvider: {
      options: { ...provider, id: 'company', name: 'Company', isTrusted: true, idTokenAlgorithms: [] },
      call: auth.oidcProvider,
    },
    createArgon2Hasher: { options: { memoryKib: 19_456, passes: 2, parallelism: 1 }, call: auth.createArgon2Hasher },
    createScryptHasher: { options: { ln: 17, r: 8, p: 1 }, call: auth.createScryptHasher },
    createAuthRoutes: { options: { bodyLimit: 1 }, call: (options) => createAuthRoutes(app, options) },
    addAuthRoutes: { options: { bodyLimit: 1 }, call: (options) => addAuthRoutes([] as never, app, options) },
    loadDevelopmentSecret: { options: { directory: 'a', name: 'a' }, call: loadDevelopmentSecret },
  },
  entity: {
    action: { options: { ...actionOptions, resourceOf: run }, call: entity.action },
    recordAction: {
      options: { ...actionOptions, method: 'POST' },
      call: (options) => entity.recordAction(model, options),
    },
    defineService: { options: { name: 'a', actions: [], definition: run }, call: entity.defineService },
    defineEntity: {
      options: {
        model: run,
        access: {
          ...everybody,
          list: false,
          get: false,
          create: false,
          update: false,
          delete: false,
          bulk: false,
          fields: [],
        },
        actions: [],
        definition: run,
        resource: { type: 'team', creatorRole: 'lead' },
        recordAccess: [],
        tenant: 'a',
        maxLimit: 1,
        hooks: { before: hooks, after: hooks, afterCommit: hooks },
      },
      call: (options: object) => entity.defineEntity({ access: everybody, ...options, ...{ model, definition } }),
    },
    'defineEntity.access.fields': {
      options: { read: false, write: false },
      call: (text) => entity.defineEntity({ model, access: { ...everybody, fields: { text } } }),
    },
    defineModel: {
      options: { fields: [], relations: [], indexes: [], parent: undefined },
      call: (options) => entity.defineModel('notes', options),
    },
    'field.uuid': {
      options: { ...every, generated: true, references: 'a', onDelete: 'cascade' },
      call: (options) => entity.field.uuid(options),
    },
    'field.text': { options: { ...every, maxLength: 1 }, call: (options) => entity.field.text(options) },
    'field.integer': { options: every, call: (options) => entity.field.integer(options) },
    'field.number': { options: every, call: (options) => entity.field.number(options) },
    'field.boolean': { options: every, call: (options) => entity.field.boolean(options) },
    'field.timestamp': { options: every, call: (options) => entity.field.timestamp(options) },
    'field.json': { options: fieldOptions, call: (options) => entity.field.json(options) },
    'field.enum': { options: every, call: (options) => entity.field.enum(['a'], options) },
    createEntities: {
      options: { entities: [], services: [], stores: run, access: null, logger: run },
      call: entity.createEntities,
    },
    'createEntities.act': {
      options: { id: 'a', version: 1, input: [] },
      call: (request) => entities.asSystem().act(notes as never, 'a' as never, request),
    },
    addEntityRoutes: {
      options: { callerOf: run, guards: [], bodyLimit: 1 },
      call: (options) => addEntityRoutes([] as never, entities, options),
    },
  },
  http: {
    createCsrfPolicy: { options: { baseUrl: 'a', trustedOrigins: [], production: true }, call: createCsrfPolicy },
    csrf: { options: { ownOrigin: 'a', trustedOrigins: run, allowLoopback: true }, call: csrf },
    serveContent: { options: { type: 'a', headers: [], read: run }, call: serveContent },
  },
  openapi: {
    createOpenApiDocument: {
      options: { entities: [], services: [], auth: undefined, info, serverUrl: '/' },
      call: createOpenApiDocument,
    },
    createOpenApiDocumentInSteps: {
      options: { entities: [], services: [], auth: undefined, info, serverUrl: '/' },
      call: (options) => createOpenApiDocumentInSteps(options).next(),
    },
  },
  server: {
    createServer: {
      options: {
        database: undefined,
        auth: authSettings,
        access: { definition: run, orgResolver: run },
        entities: [],
        services: [],
        logger: undefined,
        bodyLimit: 1,
        openapi: info,
      },
      call: createServer,
    },
    'createServer.auth': {
      options: { ...authSettings, ...authPorts, userFields: [] },
      call: (settings) => createServer({ auth: settings }),
    },
    createDatabaseClock: { options: { processClock: clock }, call: createDatabaseClock },
    listen: { options: { port: 0, hostname: 'a' }, call: (options) => listen([] as never, options) },
  },
  store: {
    composeStores: { options: { rateLimits: run }, call: (own) => composeStores(stores, own) },
  },
  'store-memory': { createMemoryStores: { options: { clock, entities: [] }, call: createMemoryStores } },
  'store-postgres': {
    createPostgresStores: { options: { url: 'a', clock, entities: [], maxConnections: 1 }, call: createPostgresStores },
  },
  'store-sql': { createSqlStores: { options: { driver: run, clock, entities: [] }, call: createSqlStores } },
  'store-sqlite': {
    createSqliteStores: {
      options: { path: ':memory:', clock, entities: [], synchronous: 'FULL' },
      call: createSqliteStores,
    },
  },
};

/** A verb that takes queries of callers refuses them with a result. */
function asThrown<Query>(verb: (query: Query) => Promise<Result<unknown>>): (query: Query) => Promise<unknown> {
  return async (query) => unwrap(await verb(query));
}

/** Plain objects that are values of the library rather than options. */
export const opaque: ReadonlySet<unknown> = new Set([stores, rule, clock, authSettings]);
