import type { EventRecord } from '@x/store';
import { describe, expect, it } from 'vitest';
import { addUser } from '../../support/add-user.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { createTestServer, engines } from '../../support/test-server.ts';
import { readToken } from '../../support/token-forge.ts';
import { exchange, serve, encodeRequest } from '../../support/wire.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const wrongPassword = 'incorrect horse battery';

describe.each(engines)('the log on %s', (engine) => {
  it('contains no password, token, cookie or key at any level, after any failure', async () => {
    const { logger, lines } = recordingLogger();
    const { server, client } = await createTestServer({ engine, logger });
    const browser = client();
    await browser.post('/api/auth/signup', ada);
    const secrets = [ada.password, wrongPassword, ...browser.cookies.values()];
    await browser.get(`/api/auth/session?token=${browser.cookies.get('app.sid')}`);
    await browser.post('/api/auth/signin', { ...ada, password: wrongPassword });
    await browser.post('/api/auth/signin', { email: 1, password: wrongPassword });
    await browser.post('/api/auth/signup', ada);
    await browser.post('/api/auth/signin', ada, { headers: { origin: 'https://evil.example' } });
    await browser.send('/api/auth/signin', { method: 'POST', raw: `{"password":"${wrongPassword}"` });
    await browser.post('/api/auth/signout');
    await browser.post('/api/auth/signin', ada);
    secrets.push(...browser.cookies.values());
    const hash = (await server.stores.users.findByLoginEmail(ada.email))!.passwordHash!;
    const text = JSON.stringify(lines);
    expect(lines.filter(({ message }) => message === 'request')).toHaveLength(9);
    for (const secret of [...secrets, hash]) expect(text).not.toContain(secret);
  });

  it('contains no line break of a request outside a value', async () => {
    const { logger, lines } = recordingLogger();
    const { server } = await createTestServer({ engine, logger });
    const port = await serve(server);
    await exchange(port, encodeRequest('GET /api/auth/%0d%0aFAKE%20LINE'));
    await exchange(port, encodeRequest('POST /api/auth/%0aFAKE', { headers: { Origin: 'https://evil.example' } }));
    expect(lines.length).toBeGreaterThan(0);
    for (const { message } of lines) expect(message).not.toMatch(/[\r\n]|FAKE/);
  });

  it('records who signed in, failed to, and signed out, when and from where', async () => {
    const published: EventRecord[] = [];
    const { logger, lines } = recordingLogger();
    const onEvent = (event: EventRecord): void => void published.push(event);
    const { server, client, clock } = await createTestServer({ engine, logger, auth: { onEvent } });
    const port = await serve(server);
    const browser = client();
    const userId = (await browser.post('/api/auth/signup', ada)).body.user.id;
    const sessionId = readToken(browser.cookies.get('app.sid')!).payload['sid'];
    const headers = { 'User-Agent': 'tests' };
    const body = JSON.stringify({ ...ada, password: wrongPassword });
    await exchange(port, encodeRequest('POST /api/auth/signin', { headers, body }));
    await exchange(port, encodeRequest('POST /api/auth/signin', { headers, body: JSON.stringify(ada) }));
    await browser.post('/api/auth/signout');

    const at = clock.now();
    const from = { ipAddress: '127.0.0.1', userAgent: 'tests' };
    expect(published).toEqual([
      expect.objectContaining({ type: 'user.created', at, userId, sessionId }),
      expect.objectContaining({ type: 'sign_in.failed', at, userId, detail: { email: ada.email }, ...from }),
      expect.objectContaining({ type: 'sign_in.succeeded', at, userId, sessionId: expect.any(String), ...from }),
      expect.objectContaining({
        ...{ type: 'session.revoked', at, userId, sessionId },
        detail: { reason: 'sign_out', sessionIds: [sessionId] },
      }),
    ]);
    const logged = lines.filter(({ message }) => message === 'security event').map(({ fields }) => fields['event']);
    expect(logged).toEqual(published.map(({ type }) => type));
    const { items } = await server.stores.events.listByUser(published[0]!.userId!, { limit: 10, after: null });
    const types = ['session.revoked', 'sign_in.failed', 'sign_in.succeeded', 'user.created'];
    expect(items.map(({ type }) => type).toSorted()).toEqual(types);
  });

  it('records the tenant of the user in every event of a user who is in one', async () => {
    const published: EventRecord[] = [];
    const { logger, lines } = recordingLogger();
    const onEvent = (event: EventRecord): void => void published.push(event);
    const { server, client } = await createTestServer({ engine, logger, auth: { onEvent } });
    const passwordHash = await server.auth.dependencies.passwords.hasher.hash(ada.password, { ipAddress: null });
    await addUser(server, { email: ada.email, passwordHash, tenantId: 'acme' });
    const browser = client();
    await browser.post('/api/auth/signin', { ...ada, password: wrongPassword });
    await browser.post('/api/auth/signin', ada);
    await browser.post('/api/auth/signout');
    await browser.post('/api/auth/signup', { ...ada, email: 'eve@example.com' });

    const expected = [
      ['sign_in.failed', 'acme'],
      ['sign_in.succeeded', 'acme'],
      ['session.revoked', 'acme'],
      ['user.created', null],
    ];
    expect(published.map(({ type, tenantId }) => [type, tenantId])).toEqual(expected);
    const logged = lines.filter(({ message }) => message === 'security event').map(({ fields }) => fields);
    expect(logged.map(({ event, tenantId }) => [event, tenantId])).toEqual(expected);
    const { items } = await server.stores.events.listByTenant('acme', { limit: 10, after: null });
    expect(items.map(({ type }) => type).toSorted()).toEqual([
      'session.revoked',
      'sign_in.failed',
      'sign_in.succeeded',
    ]);
  });

  it('records the request that was refused with 403, under its request id', async () => {
    const { logger, lines } = recordingLogger();
    const { client } = await createTestServer({ engine, logger });
    const headers = { origin: 'https://evil.example', 'x-request-id': 'req-1' };
    await client().post('/api/auth/signin', ada, { headers });
    expect(lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields)).toEqual([
      { requestId: 'req-1', method: 'POST', path: '/api/auth/signin', code: 'CSRF_FAILED' },
    ]);
  });

  it('is written even if the listener of the app fails, which does not change the response', async () => {
    const { logger, lines } = recordingLogger();
    const onEvent = (): never => {
      throw new Error('the listener broke');
    };
    const { client } = await createTestServer({ engine, logger, auth: { onEvent } });
    expect((await client().post('/api/auth/signup', ada)).status).toBe(201);
    expect(lines.map(({ message }) => message)).toEqual(
      expect.arrayContaining(['security event', 'the event listener failed']),
    );
  });
});
