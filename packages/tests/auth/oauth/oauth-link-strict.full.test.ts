import { listen } from '@x/server/node';
import { openBrowser } from '@x/test-support/browser';
import { findFreePort } from '@x/test-support/network';
import { expect, it, onTestFinished } from 'vitest';
import { startFakeProvider } from '../../support/fake-provider.ts';
import { providersOf } from '../../support/oauth-server.ts';
import { createTestDatabase, createTestServer } from '../../support/test-server.ts';

it('completes a link in a browser that keeps Strict cookies from the redirect of another site', async () => {
  const port = await findFreePort();
  const origin = `http://localhost:${port}`;
  const database = createTestDatabase('memory');
  const fake = await startFakeProvider(() => database.clock.now());
  const session = { strategy: 'jwt', algorithm: 'ES256', cookie: { sameSite: 'strict', secure: false } } as const;
  const { server } = await createTestServer({
    database,
    auth: { ...providersOf(fake), baseUrl: origin, session },
  });
  const listener = await listen(server, { port, hostname: 'localhost' });
  onTestFinished(() => listener.stop());
  // Neither program has an icon.
  const device = await openBrowser({ expecting: /^error: Failed to load resource/ });
  const post = async (path: string, data: object): Promise<{ readonly url: string }> =>
    (await device.context.request.post(origin + path, { data, headers: { 'x-app-request': '1', origin } })).json();
  await post('/api/auth/signup', { email: 'ada@example.com', password: 'correct horse battery' });
  const { url } = await post('/api/auth/oauth/google/link', { redirectTo: '/healthz' });

  // The provider is another site: 127.0.0.1, where the app is localhost.
  const callback = origin + fake.consent(url, { sub: 'g-1', email: 'ada@example.com' });
  fake.responders.set('/consent', (response) => response.writeHead(302, { location: callback }).end());
  fake.responders.set('/form', (response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<a href="/consent">Allow</a>'),
  );
  const tab = await device.openTab(`${fake.url}/form`);
  const statuses: number[] = [];
  tab.on('response', (response) => {
    if (response.url().startsWith(`${origin}/api/auth/oauth/google/callback`)) statuses.push(response.status());
  });
  await tab.getByText('Allow').click();
  await tab.waitForURL(`${origin}/healthz`);
  expect(statuses).toEqual([200, 302]);
  const accounts = await (await device.context.request.get(`${origin}/api/auth/oauth-accounts`)).json();
  expect(accounts).toMatchObject({ accounts: [{ provider: 'google', providerId: 'g-1' }] });
});
