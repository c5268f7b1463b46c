import { expect, it } from 'vitest';
import * as development from './development.ts';
import * as guards from './guards.ts';
import * as hono from './hono.ts';
import * as auth from './index.ts';

it('exports exactly the documented names', () => {
  expect(Object.keys(auth).sort()).toEqual([
    'allowMail',
    'appleProvider',
    'callerOf',
    'canonicalizeEmail',
    'createArgon2Hasher',
    'createAuth',
    'createScryptHasher',
    'describeAuth',
    'discordProvider',
    'githubProvider',
    'gitlabProvider',
    'googleProvider',
    'microsoftProvider',
    'oidcProvider',
    'parseDuration',
    'requireSessionOf',
  ]);
  expect(Object.keys(guards).sort()).toEqual([
    'errorResponse',
    'principal',
    'requireCsrf',
    'requireOwnOrigin',
    'requirePrincipal',
    'requireRole',
    'requireSession',
    'session',
    'withSetCookies',
  ]);
  expect(Object.keys(hono).sort()).toEqual([
    'addAuthRoutes',
    'createApiRequest',
    'createAuthRoutes',
    'createRequestCaller',
    'csrfExemption',
    'requirePrincipal',
    'requireRole',
    'requireSession',
    'session',
  ]);
  expect(Object.keys(development)).toEqual(['loadDevelopmentSecret']);
});
