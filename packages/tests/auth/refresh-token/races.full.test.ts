import { describe, expect, it } from 'vitest';
import { locationOf } from '../../support/oauth-server.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { sharedEngines } from '../../support/several-servers.ts';
import type { TestClient, TestResponse } from '../../support/test-client.ts';
import type { TestDatabase } from '../../support/test-server.ts';
import { totpCode } from '../../support/totp-code.ts';
import { type Account, createAccount, createWholeServer, type WholeServer } from '../../support/whole-server.ts';

const newPassword = 'another horse battery';
const rounds = [0, 1, 2, 3, 4];

type Four = readonly [WholeServer, WholeServer, WholeServer, WholeServer];

/** Starts four servers like four processes on one database. */
async function startFour(open: () => Promise<TestDatabase>): Promise<Four> {
  const database = await open();
  const start = (): Promise<WholeServer> => createWholeServer({ database });
  return [await start(), await start(), await start(), await start()];
}

/** A browser with the same cookies, whose requests another server gets. */
function at({ client }: WholeServer, { cookies }: TestClient): TestClient {
  const browser = client();
  for (const [name, value] of cookies) browser.cookies.set(name, value);
  return browser;
}

/** Sends a request this many times at once, to each server in turn, and counts the answers. */
async function countAtOnce(
  servers: Four,
  times: number,
  send: (server: WholeServer, index: number) => Promise<TestResponse>,
): Promise<Readonly<Record<string, number>>> {
  const responses = await Promise.all(
    Array.from({ length: times }, (_, index) => send(servers[(index % 4) as 0], index)),
  );
  const counts: Record<string, number> = {};
  for (const answer of responses.map(answerOf)) counts[answer] = (counts[answer] ?? 0) + 1;
  return counts;
}

function answerOf(response: TestResponse): string {
  return response.status < 400 ? String(response.status) : refusalOf(response);
}

function remove(browser: TestClient, path: string): Promise<TestResponse> {
  return browser.send(`/api/auth${path}`, { method: 'DELETE' });
}

function post(browser: TestClient, path: string, body?: object): Promise<TestResponse> {
  return browser.post(`/api/auth${path}`, body);
}

/** Expects a session to be over: on every server, for both of its tokens. */
async function expectEnded(servers: Four, { browser, sessionId, password }: Account): Promise<void> {
  // A deleted account has no rows of sessions.
  expect((await servers[0].server.stores.sessions.findById(sessionId))?.revokedAt).not.toBeNull();
  for (const server of servers) {
    expect(refusalOf(await post(at(server, browser), '/confirm', { password }))).toBe('UNAUTHENTICATED');
    expect(refusalOf(await post(at(server, browser), '/switch-tenant', { tenantId: 'two' }))).toBe('UNAUTHENTICATED');
    expect(refusalOf(await post(at(server, browser), '/refresh'))).toBe('SESSION_EXPIRED');
  }
}

describe.each(sharedEngines)('on four servers and $name', ({ open }) => {
  it('one of 20 confirmations with one code succeeds', async () => {
    const servers = await startFour(open);
    const { browser, code, backupCodes } = await createAccount(servers[0], { hasFactor: true });
    for (const each of [code(), backupCodes[0]]) {
      const counts = await countAtOnce(servers, 20, (server) => post(at(server, browser), '/confirm', { code: each }));
      expect(counts['200']).toBe(1);
      expect(new Set(Object.keys(counts))).toEqual(new Set(['200', 'MFA_INVALID_CODE', 'RATE_LIMITED']));
      servers[0].clock.advance(15 * 60_000);
    }
  });

  it('one code is one proof for 8 different steps at once', async () => {
    const servers = await startFour(open);
    const { browser, backupCodes } = await createAccount(servers[0], { hasFactor: true });
    const code = backupCodes[0];
    const counts = await countAtOnce(servers, 8, (server, index) => {
      const paths = ['/confirm', '/mfa/step-up', '/mfa/backup-codes', '/change-email'];
      const path = paths[(index + Math.floor(index / 4)) % 4]!;
      const email = `${crypto.randomUUID()}@example.com`;
      return post(at(server, browser), path, { code, ...(path === '/change-email' && { email }) });
    });
    expect(counts).toEqual({ 200: 1, MFA_INVALID_CODE: 7 });
  });

  it('a confirmation and a change of the password leave only the new one to confirm with', async () => {
    const servers = await startFour(open);
    for (const round of rounds) {
      const { browser, otherBrowser, password } = await createAccount(servers[0]);
      const change = { currentPassword: password, newPassword, revokeOtherSessions: false };
      const [changed, ...confirmed] = await Promise.all([
        post(at(servers[(round % 4) as 0], otherBrowser), '/change-password', change),
        ...servers.map((server) => post(at(server, browser), '/confirm', { password })),
      ]);
      expect(answerOf(changed)).toBe('200');
      for (const each of confirmed) expect(answerOf(each)).toMatch(/^(?:200|INVALID_CREDENTIALS)$/);
      expect(refusalOf(await post(browser, '/confirm', { password }))).toBe('INVALID_CREDENTIALS');
      expect((await post(browser, '/confirm', { password: newPassword })).status).toBe(200);
    }
  });

  it('a confirmation by password proves nothing once a factor is on, whichever came first', async () => {
    const servers = await startFour(open);
    for (const round of rounds) {
      const { browser, otherBrowser, password } = await createAccount(servers[0]);
      const { secret } = (await post(otherBrowser, '/mfa/setup')).body;
      const code = totpCode(secret, servers[0].clock.now());
      const [turnedOn, ...confirmed] = await Promise.all([
        post(at(servers[(round % 4) as 0], otherBrowser), '/mfa/verify-setup', { code }),
        ...servers.map((server) => post(at(server, browser), '/confirm', { password })),
      ]);
      expect(answerOf(turnedOn)).toBe('200');
      for (const each of confirmed) expect(answerOf(each)).toMatch(/^(?:200|STEP_UP_REQUIRED)$/);
      for (const server of servers) {
        expect(refusalOf(await remove(at(server, browser), '/oauth-accounts/google'))).toBe('STEP_UP_REQUIRED');
        expect(refusalOf(await remove(at(server, browser), '/account'))).toBe('STEP_UP_REQUIRED');
      }
    }
  });

  it('a session that is being ended is over, beside any request in it at the same time', async () => {
    const servers = await startFour(open);
    for (const round of rounds) {
      const account = await createAccount(servers[0]);
      const { browser, otherBrowser, sessionId, password } = account;
      const [ended, ...others] = await Promise.all([
        remove(at(servers[(round % 4) as 0], otherBrowser), round % 2 === 0 ? '/sessions' : `/sessions/${sessionId}`),
        post(at(servers[0], browser), '/confirm', { password }),
        post(at(servers[1], browser), '/switch-tenant', { tenantId: 'one' }),
        post(at(servers[2], browser), '/switch-tenant', { tenantId: 'two' }),
        post(at(servers[3], browser), '/mfa/setup'),
      ]);
      expect(answerOf(ended)).toBe('200');
      for (const each of others) expect(answerOf(each)).toMatch(/^(?:200|UNAUTHENTICATED)$/);
      await expectEnded(servers, account);
      // A server that has not heard of the end yet accepts a JWT of the moment before; no store gives another one.
      const jwts = others.flatMap(({ headers }) => headers.getSetCookie());
      expect(jwts.filter((cookie) => cookie.startsWith('app.ref='))).toEqual([]);
    }
  });

  it('a reset ends the sessions in which the old password is being confirmed', async () => {
    const servers = await startFour(open);
    for (const round of rounds) {
      const account = await createAccount(servers[0], { isProven: true });
      const { browser, email, password } = account;
      await post(servers[0].client(), '/forgot-password', { email });
      const token = await servers[0].mailbox.lastToken(servers[0], 'reset', email);
      const [reset, ...confirmed] = await Promise.all([
        post(servers[(round % 4) as 0].client(), '/reset-password', { token, password: newPassword }),
        ...servers.map((server) => post(at(server, browser), '/confirm', { password })),
      ]);
      expect(answerOf(reset)).toBe('200');
      for (const each of confirmed) {
        expect(answerOf(each)).toMatch(/^(?:200|INVALID_CREDENTIALS|UNAUTHENTICATED)$/);
      }
      await expectEnded(servers, account);
    }
  });

  it('an account is deleted once, and nothing that is confirmed meanwhile brings any of it back', async () => {
    const servers = await startFour(open);
    const { stores } = servers[0].server;
    for (const round of rounds) {
      const account = await createAccount(servers[0]);
      const { userId, browser, otherBrowser, password } = account;
      const [deleted, confirmed] = await Promise.all([
        countAtOnce(servers, 4, (server) => remove(at(server, browser), '/account')),
        countAtOnce(servers, 1 + round, (server) => post(at(server, otherBrowser), '/confirm', { password })),
      ]);
      expect(deleted).toEqual({ 200: 1, UNAUTHENTICATED: 3 });
      expect(new Set([...Object.keys(confirmed), '200', 'UNAUTHENTICATED'])).toEqual(
        new Set(['200', 'UNAUTHENTICATED']),
      );
      await expectEnded(servers, account);
      expect(await stores.users.findById(userId)).toBeNull();
      expect(await stores.sessions.listActive(userId)).toEqual([]);
      expect(await stores.oauthAccounts.list(userId)).toEqual([]);
    }
  });

  it('one of 8 first passwords is set', async () => {
    const servers = await startFour(open);
    const { browser, email } = await createAccount(servers[0], { hasPassword: false });
    const choices = Array.from({ length: 8 }, (_, index) => `${newPassword} ${index}`);
    const set = await countAtOnce(servers, 8, (server, index) =>
      post(at(server, browser), '/change-password', { newPassword: choices[index], revokeOtherSessions: false }),
    );
    expect(set['200']).toBe(1);
    const signedIn = await countAtOnce(servers, 8, ({ client }, index) =>
      post(client(), '/signin', { email, password: choices[index] }),
    );
    expect(signedIn).toEqual({ 200: 1, INVALID_CREDENTIALS: 7 });
  });

  it('one of two factors that are set up at once is on, and only its codes are good', async () => {
    const servers = await startFour(open);
    for (const round of rounds) {
      const { browser, otherBrowser, email, password } = await createAccount(servers[0]);
      const setUp = async (server: WholeServer, each: TestClient): Promise<string | null> => {
        const { secret } = (await post(at(server, each), '/mfa/setup')).body;
        const code = totpCode(secret ?? 'A', servers[0].clock.now());
        return (await post(at(server, each), '/mfa/verify-setup', { code })).status === 200 ? secret : null;
      };
      const secrets = await Promise.all([setUp(servers[(round % 4) as 0], browser), setUp(servers[2], otherBrowser)]);
      const on = secrets.filter((secret) => secret !== null);
      // Neither, where each began before the other one ended.
      expect(on.length).toBeLessThanOrEqual(1);
      const status = await servers[3].client().post('/api/auth/signin', { email, password });
      expect(answerOf(status)).toBe(on.length === 1 ? 'MFA_REQUIRED' : '200');
    }
  });

  it('a link that ends while its session does adds an identity before, or none', async () => {
    const servers = await startFour(open);
    for (const round of rounds) {
      const account = await createAccount(servers[0]);
      const { browser, otherBrowser, password, userId } = account;
      const { url } = (await post(browser, '/oauth/discord/link')).body as unknown as { readonly url: string };
      const id = crypto.randomUUID();
      const path = servers[0].fake.consent(url, { id, email: 'somebody@example.com' });
      const change = { currentPassword: password, newPassword };
      const [linked, changed] = await Promise.all([
        at(servers[0], browser).get(path),
        post(at(servers[((round % 3) + 1) as 1], otherBrowser), '/change-password', change),
      ]);
      expect(answerOf(changed)).toBe('200');
      const isLinked = locationOf(linked) === '/';
      expect(locationOf(linked)).toMatch(/^\/$|invalid_state/);
      const owner = await servers[0].server.stores.oauthAccounts.findUserId('discord', id);
      expect(owner).toBe(isLinked ? userId : null);
      await expectEnded(servers, account);
    }
  });
});
