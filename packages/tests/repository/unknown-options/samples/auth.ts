import * as auth from '@x/auth';
import { generateKeyPairSync } from 'node:crypto';
import { authPorts, authSettings } from './auth-settings.ts';
import { run, type Samples, stores } from './sample.ts';

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

export const authSamples: Samples = {
  createAuth: {
    options: { ...authSettings, ...authPorts, stores, accessSet: run, logger: run, userFields: [] },
    call: auth.createAuth,
  },
  'createAuth.userFields': {
    options: { schema: run, public: true, update: true, signUp: true },
    call: (age) => auth.createAuth({ production: false, session: { strategy: 'jwt' }, userFields: { age } }),
  },
  'createAuth.providers': {
    options: provider,
    call: (settings) => createWith({ ...auth.googleProvider(provider as never), settings }),
  },
  appleProvider: { options: appleOptions, call: auth.appleProvider },
  discordProvider: { options: provider, call: (settings) => createWith(auth.discordProvider(settings)) },
  githubProvider: { options: provider, call: (settings) => createWith(auth.githubProvider(settings)) },
  gitlabProvider: { options: provider, call: (settings) => createWith(auth.gitlabProvider(settings)) },
  googleProvider: { options: provider, call: (settings) => createWith(auth.googleProvider(settings)) },
  microsoftProvider: { options: provider, call: (settings) => createWith(auth.microsoftProvider(settings)) },
  oidcProvider: {
    options: { ...provider, id: 'company', name: 'Company', trustEmail: true, idTokenAlgorithms: [] },
    call: auth.oidcProvider,
  },
  createArgon2Hasher: { options: { memoryKib: 19_456, passes: 2, parallelism: 1 }, call: auth.createArgon2Hasher },
  createScryptHasher: { options: { ln: 17, r: 8, p: 1 }, call: auth.createScryptHasher },
};

/** The settings of most providers are checked with all others. */
function createWith(listed: auth.OAuthProvider): Promise<unknown> {
  return auth.createAuth({ session: { strategy: 'jwt' }, providers: [listed] });
}
