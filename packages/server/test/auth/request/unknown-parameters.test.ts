import { expect, it } from 'vitest';
import { createMailbox } from '../../support/mailbox.ts';
import { createOAuthServer, locationOf, start } from '../../support/oauth-server.ts';
import { refusalOf } from '../../support/refusal-of.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

it('are refused by every auth route but those that providers send browsers to', async () => {
  const { server, client } = await createOAuthServer({ auth: { ...createMailbox().auth, mfa: { enabled: true } } });
  const browser = client();
  await browser.post('/api/auth/signup', ada);
  const { routes } = server.auth;
  const outcomes = new Map<string, string>();
  for (const { name, method, path } of routes) {
    const target = path.replace(':provider', 'google').replace(':id', 'x');
    const body = method === 'get' ? {} : { body: {} };
    const response = await browser.send(`/api/auth${target}?limt=1`, { method: method.toUpperCase(), ...body });
    outcomes.set(name, response.status === 302 ? 'redirects' : refusalOf(response));
  }
  const expected = routes.map(({ name }) => [name, name === 'completeOAuth' ? 'redirects' : 'INVALID_QUERY']);
  expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(expected));
});

it('keep a caller without a session from learning anything but that', async () => {
  const { client } = await createOAuthServer();
  expect(refusalOf(await client().get('/api/auth/sessions?limt=1'))).toBe('UNAUTHENTICATED');
});

it('that a provider adds to its response change nothing', async () => {
  const { fake, client } = await createOAuthServer();
  const browser = client();
  const back = fake.consent(await start(browser, 'google'), { sub: 'g-1', email: ada.email, email_verified: true });
  const added = '&scope=email%20openid&authuser=0&prompt=consent&hd=example.com&session_state=x';
  expect(locationOf(await browser.get(back + added))).toBe('/');
});
