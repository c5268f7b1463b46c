import { describe, expect, it } from 'vitest';
import { createTestServer } from '../../support/test-server.ts';

const trusted = 'https://admin.example.com';
const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-app-request' };

describe('a server without trusted origins', () => {
  it.each([null, 'null', 'http://localhost:3000', 'https://evil.example', '*'])(
    'shares nothing with %s',
    async (origin) => {
      const { client } = await createTestServer();
      const responses = [
        await client().get('/api/auth/session', { headers: { origin } }),
        await client().post('/api/auth/signin', ada, { headers: { origin } }),
        await client().send('/api/auth/signin', { method: 'OPTIONS', headers: { origin, ...preflight } }),
        await client().get('/api/auth/nothing', { headers: { origin } }),
      ];
      for (const { headers } of responses) {
        expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
      }
    },
  );
});

describe('a server with a trusted origin', () => {
  const auth = { trustedOrigins: [trusted, 'https://OTHER.example.com:443'] };

  it('shares every response with exactly that origin, with credentials', async () => {
    const { client } = await createTestServer({ auth });
    const headers = { origin: trusted, 'sec-fetch-site': 'cross-site' };
    const signedUp = await client().post('/api/auth/signup', ada, { headers });
    const failed = await client().post('/api/auth/signin', { ...ada, password: 'wrong' }, { headers });
    const forged = await client().post('/api/auth/signin', ada, { headers: { ...headers, 'x-app-request': null } });
    const unknown = await client().get('/api/auth/nothing', { headers });
    const wrongMethod = await client().send('/api/auth/session', { method: 'PUT', headers });
    const responses = [
      signedUp,
      failed,
      forged,
      unknown,
      wrongMethod,
      await client().get('/api/auth/session', { headers }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([201, 401, 403, 404, 405, 200]);
    for (const response of responses) {
      expect(response.headers.get('access-control-allow-origin')).toBe(trusted);
      expect(response.headers.get('access-control-allow-credentials')).toBe('true');
      expect(response.headers.get('vary')).toMatch(/\borigin\b/i);
      expect(listOf(response.headers.get('access-control-expose-headers'))).toEqual(
        new Set(['ETag', 'Retry-After', 'X-Request-Id', 'Location']),
      );
    }
  });

  it('exposes to it that a refresh may give a session', async () => {
    const { client, clock } = await createTestServer({ auth });
    const headers = { origin: trusted, 'sec-fetch-site': 'cross-site' };
    const browser = client();
    await browser.post('/api/auth/signup', ada, { headers });
    clock.advance(60_000);
    const response = await browser.get('/api/auth/session', { headers });
    expect(response.headers.get('x-app-refresh')).toBe('possible');
    expect(listOf(response.headers.get('access-control-expose-headers'))).toContain('X-APP-Refresh');
  });

  it('compares the origin in its normal form', async () => {
    const { client } = await createTestServer({ auth });
    const { headers } = await client().get('/api/auth/session', { headers: { origin: 'https://other.example.com' } });
    expect(headers.get('access-control-allow-origin')).toBe('https://other.example.com');
  });

  it('accepts a preflight without the CSRF headers, and changes nothing for it', async () => {
    const { client } = await createTestServer({ auth });
    const headers = { origin: trusted, 'x-app-request': null, ...preflight };
    const response = await client().send('/api/auth/signup', { method: 'OPTIONS', headers });
    expect([response.status, response.text]).toEqual([204, '']);
    expect(response.headers.get('access-control-allow-origin')).toBe(trusted);
    expect(response.headers.get('access-control-allow-credentials')).toBe('true');
    expect(listOf(response.headers.get('access-control-allow-headers'))).toEqual(
      new Set(['Content-Type', 'X-APP-Request', 'If-Match', 'If-None-Match', 'Authorization']),
    );
    const methods = [...listOf(response.headers.get('access-control-allow-methods'))];
    expect(methods).toEqual(expect.arrayContaining(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']));
    expect(response.headers.get('vary')).toMatch(/\borigin\b/i);
  });

  it.each([
    ...['null', 'https://evil.example', 'https://admin.example.com.evil', 'https://evil-admin.example.com', '*'],
    ...[
      'http://admin.example.com',
      'https://admin.example.com:8443',
      'https://admin.example.com/',
      'ADMIN.example.com',
    ],
    ...['https://admin.example.com, https://evil.example', 'https://example.com', ''],
  ])('shares nothing with %j', async (origin) => {
    const { client } = await createTestServer({ auth });
    const responses = [
      await client().get('/api/auth/session', { headers: { origin } }),
      await client().post('/api/auth/signin', ada, { headers: { origin } }),
      await client().send('/api/auth/signin', { method: 'OPTIONS', headers: { origin, ...preflight } }),
    ];
    for (const { headers } of responses) {
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('vary')).toMatch(/\borigin\b/i);
    }
  });
});

function listOf(header: string | null): ReadonlySet<string> {
  return new Set(header?.split(',').map((item) => item.trim()));
}
