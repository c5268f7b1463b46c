import { createServer, type Server } from '@x/server';
import type { UserId } from '@x/store';
import { describe, expect, it } from 'vitest';
import { recordingLogger } from '../../support/recording-logger.ts';
import { TestClient } from '../../support/test-client.ts';
import { createTestServer, engines } from '../../support/test-server.ts';
import { generateKeys } from '../../support/token-forge.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const session = { strategy: 'jwt', algorithm: 'ES256' } as const;
const [oldSecret, newSecret] = ['the old secret of this app, long enough', 'the new secret of this app, long enough'];

describe.each(engines)('a refresh token on %s', (engine) => {
  it('is valid under an old secret as long as that is listed, and no longer', async () => {
    const before = await createTestServer({ engine, auth: { secrets: [oldSecret] } });
    const [one, other] = [before.client(), before.client()];
    const { id } = (await one.post('/api/auth/signup', ada)).body.user;
    await other.post('/api/auth/signin', ada);
    const countActive = (): Promise<number> => before.server.stores.sessions.countActive(id as UserId);
    const restart = (secrets: readonly string[]): Promise<Server> => {
      // Another signing key: only the secrets decide.
      const auth = { production: false, baseUrl: 'http://localhost:3000', session, secrets, ...generateKeys().pem };
      return createServer({ database: before.server.stores, auth });
    };

    expect(await signOutAt(await restart([newSecret]), one)).toBe(200);
    expect(await countActive()).toBe(2);
    expect(await signOutAt(await restart([newSecret, oldSecret]), one)).toBe(200);
    expect(await countActive()).toBe(1);
    expect(await signOutAt(await restart([oldSecret]), other)).toBe(200);
    expect(await countActive()).toBe(0);
  });

  it('is derived from the first secret', async () => {
    const { server, client } = await createTestServer({ engine, auth: { secrets: [newSecret, oldSecret] } });
    const browser = client();
    const { id } = (await browser.post('/api/auth/signup', ada)).body.user;
    for (const [secrets, left] of [
      [[oldSecret], 1],
      [[newSecret], 0],
    ] as const) {
      const auth = { production: false, baseUrl: 'http://localhost:3000', session, secrets, ...generateKeys().pem };
      await signOutAt(await createServer({ database: server.stores, auth }), browser);
      expect(await server.stores.sessions.countActive(id as UserId)).toBe(left);
    }
  });
});

describe('secrets', () => {
  const short = 'x'.repeat(31);

  it.each([[[short]], [[`${short}x`, short]]])('cause a warning if one is short: %j', async (secrets) => {
    const { logger, lines } = recordingLogger();
    await createTestServer({ logger, auth: { secrets } });
    expect(lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      expect.stringContaining('a secret has fewer than 32 characters'),
    ]);
    expect(JSON.stringify(lines)).not.toContain(short);
  });

  it.each([
    [undefined, 1],
    [[`${short}x`], 0],
  ])('cause a warning beside older keys only if there are none: %j', async (secrets, warnings) => {
    const { logger, lines } = recordingLogger();
    const verificationKeys = [generateKeys().pem.publicKey];
    await createTestServer({ logger, auth: { verificationKeys, ...(secrets && { secrets }) } });
    const warned = lines.filter(({ message }) => message.startsWith('verificationKeys without secrets'));
    expect(warned).toHaveLength(warnings);
  });

  it.each([[[`${short}x`]], [undefined]])('cause no warning as %j', async (secrets) => {
    const { logger, lines } = recordingLogger();
    await createTestServer({ logger, auth: secrets === undefined ? {} : { secrets } });
    expect(lines).toEqual([]);
  });
});

/** Signs out with nothing but the refresh token of a browser; returns the status. */
async function signOutAt(server: Server, browser: TestClient): Promise<number> {
  const client = new TestClient('http://localhost:3000', (request) => server.fetch(request));
  const headers = { cookie: `app.ref=${browser.cookies.get('app.ref')}` };
  return (await client.post('/api/auth/signout', undefined, { headers })).status;
}
