import * as auth from '@x/auth';
import { loadDevelopmentSecret } from '@x/auth/development';
import { addAuthRoutes, createAuthRoutes } from '@x/auth/hono';
import { type Result, unwrap } from '@x/errors';
import { generateKeyPairSync } from 'node:crypto';
import { authPorts, authSettings } from './auth-settings.ts';
import { run, type Samples, stores } from './sample.ts';

const app = await auth.createAuth({ production: false, session: { strategy: 'jwt' }, stores });

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

const page = { limit: 1, after: null };
const action = { actor: 'a', request: [] };

export const authSamples: Samples = {
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
};

/** A verb that takes queries of callers refuses them with a result. */
function asThrown<Query>(verb: (query: Query) => Promise<Result<unknown>>): (query: Query) => Promise<unknown> {
  return async (query) => unwrap(await verb(query));
}
