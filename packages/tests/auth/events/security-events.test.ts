import type { EventRecord, SessionId, UserId } from '@x/store';
import { describe, expect, it } from 'vitest';
import { recordingLogger } from '../../support/recording-logger.ts';
import type { TestResponse, TestClient, TestRequest } from '../../support/test-client.ts';
import { createTestServer, engines } from '../../support/test-server.ts';
import { generateKeys, readToken } from '../../support/token-forge.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const wrongPassword = 'incorrect horse battery';
const secret = 'what refresh tokens are derived from';
const keys = generateKeys();
const at = (seconds: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));

const sidOf = ({ cookies }: TestClient): string => String(readToken(cookies.get('app.sid')!).payload['sid']);

/** The events and log lines of a scenario, and every secret that occurred in it. */
interface Told {
  readonly published: readonly EventRecord[];
  readonly stored: readonly EventRecord[];
  readonly logged: readonly Readonly<Record<string, unknown>>[];
  readonly refused: readonly Readonly<Record<string, unknown>>[];
  /** Events and log lines as text. */
  readonly text: string;
  readonly secrets: ReadonlySet<string>;
  /** The ids of the scenario, by name. */
  readonly names: { readonly id: string; readonly sids: readonly string[] };
}

/** Runs through what can happen to an account; each step takes a second, and comes from an address of its own. */
async function runScenario(engine: (typeof engines)[number]): Promise<Told> {
  const published: EventRecord[] = [];
  const { logger, lines } = recordingLogger();
  const { server, client, clock } = await createTestServer({
    ...{ engine, logger },
    auth: {
      ...keys.pem,
      secrets: [secret],
      emailPassword: { rateLimit: {} },
      onEvent: (event) => void published.push(event),
    },
  });
  const { admin } = server.auth;
  const secrets = new Set([ada.password, wrongPassword, secret, ...linesOf(keys.pem.privateKey)]);
  const send = async (browser: TestClient, line: string, request: TestRequest = {}): Promise<TestResponse> => {
    clock.advance(1000);
    const [method = '', path = ''] = line.split(' ');
    const response = await browser.send(`/api/auth${path}`, { method, ...request });
    for (const value of browser.cookies.values()) secrets.add(value);
    return response;
  };
  const from = (last: number): TestClient => client(`192.0.2.${last}`);
  const [first, second, third, fourth, thief] = [from(1), from(4), from(7), from(9), from(6)];

  const { id } = (await send(first, 'POST /signup', { body: ada })).body.user;
  await send(from(2), 'POST /signin', { body: { ...ada, password: wrongPassword } });
  await send(from(3), 'POST /signin', { body: { ...ada, email: 'nobody@example.com' } });
  await send(second, 'POST /signin', { body: ada });
  for (const [name, value] of first.cookies) thief.cookies.set(name, value);
  const sids = [sidOf(first), sidOf(second)];
  await send(first, 'POST /refresh');
  clock.advance(10_000);
  await send(thief, 'POST /refresh');
  await send(third, 'POST /signin', { body: ada });
  await send(third, `DELETE /sessions/${sidOf(second)}`);
  await send(fourth, 'POST /signin', { body: ada });
  sids.push(sidOf(third), sidOf(fourth));
  await send(third, 'DELETE /sessions');
  clock.advance(1000);
  await admin.setRole(id, 'editor', { actor: 'grace' });
  await send(third, 'POST /refresh');
  const token = third.cookies.get('app.sid');
  await send(third, `GET /session?token=${token}`, { headers: { authorization: `Bearer ${token}` } });
  await send(third, 'POST /signout');
  clock.advance(1000);
  await admin.disableUser(id, { actor: 'grace' });
  await send(from(17), 'POST /signin', { body: ada });
  clock.advance(1000);
  await admin.enableUser(id, { actor: 'grace' });
  await send(from(19), 'POST /signin', { body: ada });
  await send(from(19), 'POST /signin', { body: ada });
  await send(from(20), 'POST /signin', { body: ada, headers: { origin: 'https://evil.example' } });

  await server.auth.drain();
  const user = await server.stores.users.findById(id as UserId);
  secrets.add(user!.passwordHash!);
  for (const sid of sids) {
    const session = await server.stores.sessions.findById(sid as SessionId);
    for (const value of [session!.refreshSalt, session!.refreshTokenHash]) secrets.add(value);
  }
  const { items } = await server.stores.events.listByUser(id as UserId, { limit: 100, after: null });
  const withMessage = (message: string) => lines.filter((line) => line.message === message).map(({ fields }) => fields);
  return {
    ...{ published, secrets, stored: items, names: { id, sids } },
    ...{ logged: withMessage('security event'), refused: withMessage('request refused') },
    text: JSON.stringify([published, items, lines]),
  };
}

const compareById = (one: EventRecord, other: EventRecord): number => (one.id < other.id ? -1 : 1);

/** The lines of a key that could give it away. */
function linesOf(pem: string): readonly string[] {
  return pem.split('\n').filter((line) => line !== '' && !line.startsWith('-'));
}

describe.each(engines)('the events of an account on %s', (engine) => {
  it('record who did what, when and from where, in the order in which it happened', async () => {
    const { published, stored, logged, refused, names } = await runScenario(engine);
    const { id, sids } = names;
    const [first, second, third, fourth] = sids;
    const reused = { presentedGeneration: 0, currentGeneration: 1 };
    const ended = (reason: string, sid: string | undefined): object => ({ reason, sessionIds: [sid] });
    const limited = { limit: 'signin', key: ada.email };
    const scenario = [
      [1, 'user.created', id, first, '192.0.2.1', {}],
      [2, 'sign_in.failed', id, null, '192.0.2.2', { email: ada.email }],
      [3, 'sign_in.failed', null, null, '192.0.2.3', { email: 'nobody@example.com' }],
      [4, 'sign_in.succeeded', id, second, '192.0.2.4', {}],
      [16, 'session.revoked', id, first, '192.0.2.6', ended('refresh_token_reused', first)],
      [16, 'refresh_token.reused', id, first, '192.0.2.6', reused],
      [17, 'sign_in.succeeded', id, third, '192.0.2.7', {}],
      [18, 'session.revoked', id, second, '192.0.2.7', ended('revoked', second)],
      [19, 'sign_in.succeeded', id, fourth, '192.0.2.9', {}],
      [20, 'session.revoked', id, fourth, '192.0.2.7', ended('others_revoked', fourth)],
      [21, 'user.role_changed', id, null, null, { role: 'editor', actor: 'grace' }],
      [24, 'session.revoked', id, third, '192.0.2.7', ended('sign_out', third)],
      [25, 'user.disabled', id, null, null, { actor: 'grace' }],
      [26, 'sign_in.failed', id, null, '192.0.2.17', { email: ada.email }],
      [27, 'user.enabled', id, null, null, { actor: 'grace' }],
      [28, 'rate_limit.reached', id, null, '192.0.2.19', limited],
    ] as const;
    const facts = published.map(({ at: when, type, userId, sessionId, ipAddress, detail }) => [
      ...[when, type, userId, sessionId, ipAddress, detail],
    ]);
    expect(facts).toEqual(scenario.map(([seconds, ...rest]) => [at(seconds), ...rest]));
    expect(new Set(published.map((event) => event.id)).size).toBe(scenario.length);

    expect(stored.toSorted(compareById)).toEqual(published.filter(({ userId }) => userId === id).toSorted(compareById));
    expect(
      logged.map(({ at: when, event, userId, sessionId, ipAddress }) => [when, event, userId, sessionId, ipAddress]),
    ).toEqual(
      scenario.map(([seconds, type, userId, sessionId, ipAddress]) => [
        at(seconds),
        type,
        userId,
        sessionId,
        ipAddress,
      ]),
    );
    expect(refused).toMatchObject([{ method: 'POST', path: '/api/auth/signin', code: 'CSRF_FAILED' }]);
  });

  it('contain no secret, and neither does any line of the log', async () => {
    const { text, secrets } = await runScenario(engine);
    // Two passwords, a secret, a key and a hash; of four sign-ins and two refreshes the tokens and what they are made
    // of.
    expect(secrets.size).toBeGreaterThan(24);
    for (const one of secrets) {
      expect(one.length).toBeGreaterThan(8);
      expect(text).not.toContain(one);
      // Nor a part of a token that would do.
      for (const part of one.split('.').slice(1)) expect(text).not.toContain(part);
    }
    expect(text).not.toMatch(/argon2|eyJ|-----BEGIN|"cookie"|authorization/i);
  });
});
