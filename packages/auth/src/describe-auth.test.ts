import { expect, it } from 'vitest';
import { z } from 'zod';
import { describeAuth } from './describe-auth.ts';
import { everyFeature } from './testing/every-feature.ts';

it('lists each route once, with a method and path of its own', () => {
  const { routes } = describeAuth(everyFeature);
  expect(new Set(routes.map(({ name }) => name)).size).toBe(routes.length);
  expect(new Set(routes.map(({ method, path }) => `${method} ${path}`)).size).toBe(routes.length);
});

it('describes no route of a feature that the app does not use', () => {
  const paths = describeAuth({ mfa: { enabled: false } }).routes.map(({ path }) => path);
  expect([...new Set(paths)]).toEqual([
    ...['/signup', '/signin', '/change-password', '/confirm', '/account', '/events'],
    ...['/signout', '/session', '/refresh', '/sessions', '/sessions/:id', '/.well-known/jwks.json', '/providers'],
  ]);
});

it('describes the fields that an app declares, but no private one as part of a user', () => {
  const userFields = {
    nick: { schema: z.string() },
    note: { schema: z.string(), public: false, signUp: true },
    credits: { schema: z.int().default(10) },
  };
  const { routes, schemas } = describeAuth({ userFields });
  const input = routes.find(({ name }) => name === 'signUp')?.input?.schema;
  const credentials = { email: 'ada@example.com', password: 'correct horse battery' };
  expect(input?.safeParse({ ...credentials, nick: 'ada', note: 'x' }).success).toBe(true);
  expect(input?.safeParse({ ...credentials, nick: 'ada' }).success).toBe(false);
  expect(input?.safeParse({ ...credentials, nick: 'ada', note: 'x', credits: 11 }).success).toBe(false);
  expect(Object.keys(z.toJSONSchema(schemas['User'] ?? z.never()).properties ?? {})).toContain('nick');
  expect(Object.keys(z.toJSONSchema(schemas['User'] ?? z.never()).properties ?? {})).not.toContain('note');
});

it('describes the routes of a feature whose settings are given, unless it is off', () => {
  const pathsOf = (features: Parameters<typeof describeAuth>[0]) =>
    describeAuth(features).routes.map(({ path }) => path);
  expect(pathsOf({ passwordReset: {} })).toContain('/forgot-password');
  expect(pathsOf({ passwordReset: { enabled: false } })).not.toContain('/forgot-password');
});

it('documents that a generic sign-up starts no session', () => {
  const generic = describeAuth({ emailVerification: { genericSignUp: true } });
  const [signUp] = generic.routes;
  expect([signUp?.response.status, signUp?.errors]).toEqual([200, ['FORBIDDEN', 'RATE_LIMITED']]);
});
