import { expect, it } from 'vitest';
import { createOAuthServer, locationOf, signInBy } from '../../support/oauth-server.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { createTestServer, engines } from '../../support/test-server.ts';

const password = 'correct horse battery';

it.each(engines)('gives new users ids of the app, whichever way they come, on %s', async (engine) => {
  let count = 0;
  const generateUserId = (): string => `usr_${(count += 1)}`;
  const { server, fake, client } = await createOAuthServer({ engine, auth: { generateUserId } });
  const browser = client();
  expect((await browser.post('/api/auth/signup', { email: 'ada@example.com', password })).body.user.id).toBe('usr_1');
  expect((await browser.post('/api/auth/refresh')).body.user.id).toBe('usr_1');
  const eve = { sub: 'g-1', email: 'eve@example.com', email_verified: true };
  expect(locationOf(await signInBy({ client: client(), fake }, 'google', eve))).toBe('/');
  expect(await server.auth.admin.findUser({ id: 'usr_2' })).toMatchObject({ value: { email: 'eve@example.com' } });
});

it.each(['', 'a b', 'a.b', 'ü', 'x'.repeat(65), 7 as never])('refuses %j as the id of a user', async (id) => {
  const { client } = await createTestServer({ auth: { generateUserId: () => id } });
  const signUp = { email: 'ada@example.com', password };
  expect(refusalOf(await client().post('/api/auth/signup', signUp))).toBe('INTERNAL_ERROR');
});
