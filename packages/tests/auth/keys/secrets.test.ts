import type { AuthOptions } from '@x/auth';
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

describe.each(engines)('a session that comes from the signing key on %s', (engine) => {
  /** Starts a server without secrets, signs Ada up, and returns what another one on its database refreshes her with. */
  async function startWithoutSecrets() {
    const [first, second] = [generateKeys().pem, generateKeys().pem];
    const before = await createTestServer({ engine, auth: { session, ...first } });
    const browser = before.client();
    await browser.post('/api/auth/signup', ada);
    const refreshAt = async (change: Partial<AuthOptions>): Promise<number> => {
      const auth = { production: false, baseUrl: 'http://localhost:3000', session, ...change };
      const server = await createServer({ database: before.server.stores, auth });
      const client = new TestClient('http://localhost:3000', (request) => server.fetch(request));
      for (const [name, value] of browser.cookies) client.cookies.set(name, value);
      const { status } = await client.post('/api/auth/refresh');
      if (status === 200) for (const [name, value] of client.cookies) browser.cookies.set(name, value);
      return status;
    };
    return { first, second, refreshAt };
  }

  it('goes on under another key while the private key of the one before is among the secrets', async () => {
    const { first, second, refreshAt } = await startWithoutSecrets();
    const verificationKeys = [first.publicKey];
    const rotated = { ...second, verificationKeys, secrets: [second.privateKey, first.privateKey] };
    expect(await refreshAt({ ...second, verificationKeys })).toBe(401);
    expect(await refreshAt(rotated)).toBe(200);
    // It comes from the new key now.
    expect(await refreshAt({ ...second, verificationKeys })).toBe(200);
    expect(await refreshAt(first)).toBe(401);
  });

  it('goes on when secrets are set later, and then under another key if the secrets name the one before', async () => {
    const { first, second, refreshAt } = await startWithoutSecrets();
    expect(await refreshAt({ ...second, secrets: [newSecret] })).toBe(401);
    expect(await refreshAt({ ...second, secrets: [newSecret, first.privateKey] })).toBe(200);
    expect(await refreshAt({ ...second, secrets: [newSecret] })).toBe(200);
    const other = await startWithoutSecrets();
    expect(await other.refreshAt({ ...other.first, secrets: [newSecret] })).toBe(200);
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

  it('cause a warning, and name no key, if sessions may come from an older key that is not among them', async () => {
    const older = generateKeys().pem;
    for (const [secrets, warnings] of [
      [[`${short}x`], 1],
      [[`${short}x`, older.privateKey], 0],
      [[older.privateKey], 0],
    ] as const) {
      const { logger, lines } = recordingLogger();
      await createTestServer({ logger, auth: { verificationKeys: [older.publicKey], secrets } });
      expect(lines.map(({ message }) => message)).toEqual(
        Array.from({ length: warnings }, () => expect.stringContaining('sessions from before `secrets` was set')),
      );
      expect(JSON.stringify(lines)).not.toContain('PRIVATE KEY');
    }
  });

  it('are refused if one is a private key that cannot be read', async () => {
    const broken = generateKeys().pem.privateKey.replace(/[A-Za-z0-9+/]{20}/, '');
    const auth = { production: false, session, secrets: [newSecret, broken] };
    const refused: unknown = await createServer({ auth }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ problems: [expect.stringMatching(/^secrets\[1\] cannot be read/)] });
    expect(String(refused)).not.toContain('BEGIN');
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
