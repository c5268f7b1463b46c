import { requireActionSession } from '@x/server/next';
import { expect, it } from 'vitest';
import { createTestServer } from '../../support/test-server.ts';

// The test of the packed examples sees it renew sessions, which takes Next.

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

it('gives a Server Action the session of its caller, if a page of the app calls it', async () => {
  const session = { strategy: 'jwt', algorithm: 'ES256', cookie: { refreshPath: '/' } } as const;
  const { server, client } = await createTestServer({
    auth: { session, trustedOrigins: ['https://admin.example.com'] },
  });
  const browser = client();
  await browser.post('/api/auth/signup', ada);
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const outcomeOf = (headers: Readonly<Record<string, string>>): Promise<string> =>
    requireActionSession(server, new Headers(headers)).then(
      ({ user }) => user.email,
      ({ code }: { readonly code: string }) => code,
    );

  const host = 'localhost:3000';
  const origin = `http://${host}`;
  expect(await outcomeOf({ cookie, origin, host })).toBe(ada.email);
  expect(await outcomeOf({ cookie, origin })).toBe(ada.email);
  expect(await outcomeOf({ cookie, origin: 'https://admin.example.com', 'sec-fetch-site': 'cross-site' })).toBe(
    ada.email,
  );
  expect(await outcomeOf({ cookie, origin: 'http://127.0.0.1:4000', host: '127.0.0.1:4000' })).toBe(ada.email);
  expect(await outcomeOf({ origin, host })).toBe('UNAUTHENTICATED');
  expect(await outcomeOf({ cookie, host })).toBe('CSRF_FAILED');
  for (const other of ['https://evil.example', 'http://localhost:3001', 'null']) {
    expect(await outcomeOf({ cookie, origin: other, host })).toBe('CSRF_FAILED');
  }
});
