import { describe, expect, it } from 'vitest';
import { deriveToken, expectSessionExpired, refreshWith, storedSession } from '../../support/refresh-tokens.ts';
import { createTestDatabase, createTestServer, engines, type TestServer } from '../../support/test-server.ts';
import { generateKeys } from '../../support/token-forge.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const [oldSecret, newSecret] = ['the old secret of this app, long enough', 'the new secret of this app, long enough'];
const [before, during, after] = [[oldSecret], [newSecret, oldSecret], [newSecret]];

describe.each(engines)('a change of secrets on %s', (engine) => {
  it('keeps the tokens of the old one valid, and derives their successors from the new one', async () => {
    const start = starting(engine);
    const old = await start(before);
    const token = await signUp(old);
    const rotated = await start(during);
    const session = await storedSession(rotated, token);
    const response = await refreshWith(rotated, token);
    expect([response.status, response.refreshToken]).toEqual([200, deriveToken(rotated, session, 1)]);
    expect(response.refreshToken).not.toBe(deriveToken(old, session, 1));
    expect((await refreshWith(await start(after), response.refreshToken)).status).toBe(200);
  });

  it('ends no session if the old one is removed too soon', async () => {
    const start = starting(engine);
    const token = await signUp(await start(before));
    const hasty = await start(after);
    const session = await storedSession(hasty, token);
    expectSessionExpired(await refreshWith(hasty, token));
    expect(await storedSession(hasty, token)).toEqual(session);
    expect((await refreshWith(await start(during), token)).status).toBe(200);
  });

  it.each([
    ['new', during, [oldSecret, newSecret]],
    ['old', [oldSecret, newSecret], during],
  ])('returns the same successor on a retry while servers differ, the %s one first', async (_which, here, there) => {
    const start = starting(engine);
    const [one, other] = [await start(here), await start(there)];
    const parent = (await refreshWith(one, await signUp(one))).refreshToken;
    const { refreshToken: successor } = await refreshWith(one, parent);
    const session = await storedSession(one, parent);
    for (const server of [other, one, other]) {
      expect(await refreshWith(server, parent)).toMatchObject({ status: 200, refreshToken: successor });
    }
    expect(await storedSession(one, parent)).toEqual(session);
    const next = await refreshWith(other, successor);
    expect(next.refreshToken).toBe(deriveToken(other, session, 3));
    expect((await refreshWith(one, successor)).refreshToken).toBe(next.refreshToken);
  });

  it('gives 40 concurrent refreshes one successor while servers differ', async () => {
    const start = starting(engine);
    const servers = [await start(during), await start([oldSecret, newSecret]), await start(during)];
    const token = await signUp(servers[0]!);
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, index) => refreshWith(servers[index % 3]!, token)),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(responses.map(({ refreshToken }) => refreshToken)).size).toBe(1);
    expect((await storedSession(servers[0]!, token)).generation).toBe(1);
  });

  it('ends no session if a successor was derived from a secret that this server does not have yet', async () => {
    const start = starting(engine);
    const [old, rotated] = [await start(before), await start(during)];
    const token = await signUp(old);
    const { refreshToken } = await refreshWith(rotated, token);
    const session = await storedSession(old, token);
    for (const presented of [token, refreshToken]) expectSessionExpired(await refreshWith(old, presented));
    expect(await storedSession(old, token)).toEqual(session);
    expect((await refreshWith(rotated, token)).refreshToken).toBe(refreshToken);
  });

  it('keeps refresh tokens valid across new signing keys only if secrets are configured', async () => {
    for (const [secrets, status] of [
      [before, 200],
      [undefined, 401],
    ] as const) {
      const start = starting(engine);
      const token = await signUp(await start(secrets, generateKeys().pem));
      const server = await start(secrets, generateKeys().pem);
      const session = await storedSession(server, token);
      expect((await refreshWith(server, token)).status).toBe(status);
      expect((await storedSession(server, token)).revokedAt).toBe(session.revokedAt);
    }
  });
});

/** Returns a function that starts servers with given secrets on one database. */
function starting(
  engine: (typeof engines)[number],
): (secrets: readonly string[] | undefined, keys?: object) => Promise<TestServer> {
  const database = createTestDatabase(engine);
  return (secrets, keys) => createTestServer({ database, auth: { ...(secrets && { secrets }), ...keys } });
}

async function signUp({ client }: TestServer): Promise<string> {
  const browser = client();
  await browser.post('/api/auth/signup', ada);
  return browser.cookies.get('app.ref')!;
}
