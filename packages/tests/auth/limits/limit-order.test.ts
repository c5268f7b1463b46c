import { createScryptHasher, type PasswordHasher } from '@x/auth';
import { CodedError } from '@x/errors';
import type { EventRecord } from '@x/store';
import { describe, expect, it, vi } from 'vitest';
import { recordingLogger } from '../../support/recording-logger.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { createTestServer, engines } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const routes = ['/api/auth/signup', '/api/auth/signin'] as const;
const limitOfOne = { rateLimit: { maxAttempts: 1 } };

/** A cheap hasher that counts its calls. */
function countingHasher(): { readonly passwordHasher: PasswordHasher; readonly calls: () => number } {
  const hasher = createScryptHasher({ ln: 1, r: 1, p: 1 });
  const hash = vi.fn<PasswordHasher['hash']>((text) => hasher.hash(text));
  const verify = vi.fn<PasswordHasher['verify']>((stored, text) => hasher.verify(stored, text));
  const calls = (): number => hash.mock.calls.length + verify.mock.calls.length;
  return { passwordHasher: { ...hasher, hash, verify }, calls };
}

describe.each(engines)('a limited attempt on %s', (engine) => {
  it.each(routes)('is refused at %s for its shape before it is counted, and for the policy after', async (path) => {
    const { client } = await createTestServer({ engine, auth: { emailPassword: limitOfOne } });
    const codeOf = async (input: object): Promise<string> => refusalOf(await client().post(path, input));
    const weak = { ...ada, password: 'short' };
    const allowed = path === '/api/auth/signup' ? 'VALIDATION_FAILED' : 'INVALID_CREDENTIALS';
    expect(await codeOf({ ...ada, email: 'none' })).toBe('VALIDATION_FAILED');
    expect(await codeOf(weak)).toBe(allowed);
    expect(await codeOf({ ...ada, extra: 1 })).toBe('VALIDATION_FAILED');
    expect(await codeOf({ ...ada, password: 'x'.repeat(2000) })).toBe('VALIDATION_FAILED');
    expect(await codeOf(weak)).toBe('RATE_LIMITED');
    expect(await codeOf(ada)).toBe('RATE_LIMITED');
  });

  it.each(routes)('costs no hash at %s, and one account lookup for its event', async (path) => {
    const { passwordHasher, calls } = countingHasher();
    const { server, client } = await createTestServer({ engine, auth: { passwordHasher, emailPassword: limitOfOne } });
    // The first sign-in also creates the dummy hash for unknown accounts.
    await client().post('/api/auth/signin', { ...ada, email: 'nobody@example.com' });
    const before = calls();
    await client().post(path, ada);
    expect(calls()).toBe(before + 1);
    const find = vi.spyOn(server.stores.users, 'findByLoginEmail');
    const transaction = vi.spyOn(server.stores, 'transaction');
    for (let count = 0; count < 3; count += 1) {
      expect(refusalOf(await client().post(path, ada))).toBe('RATE_LIMITED');
    }
    expect(calls()).toBe(before + 1);
    expect(find).toHaveBeenCalledTimes(1);
    expect(transaction).not.toHaveBeenCalled();
  });

  it.each([
    ['a CodedError', new CodedError('SERVICE_UNAVAILABLE', 'The database is away.', { retryAfter: 7 }), '7'],
    ['an unknown error', new Error('INSERT INTO auth_rate_limits failed'), '1'],
  ])('is refused with 503, unhashed and logged, if counting fails with %s', async (_, error, wait) => {
    const { passwordHasher, calls } = countingHasher();
    const { logger, lines } = recordingLogger();
    const { server, client } = await createTestServer({ engine, logger, auth: { passwordHasher } });
    const browser = client();
    await browser.post('/api/auth/signup', ada);
    const before = calls();
    const cookies = new Map(browser.cookies);
    vi.spyOn(server.stores.rateLimits, 'check').mockRejectedValue(error);
    vi.spyOn(server.stores.rateLimits, 'isFull').mockRejectedValue(error);
    for (const path of ['/api/auth/signup', '/api/auth/signin', '/api/auth/refresh']) {
      const response = await browser.post(path, path.endsWith('refresh') ? undefined : ada);
      expect([response.status, refusalOf(response)]).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect(response.headers.get('retry-after')).toBe(wait);
      expect(response.headers.getSetCookie()).toEqual([]);
      expect(response.text).not.toContain('INSERT');
    }
    expect(browser.cookies).toEqual(cookies);
    expect(calls()).toBe(before);
    expect(lines.filter(({ level }) => level === 'error').map(({ fields }) => fields['err'])).toEqual([
      error,
      error,
      error,
    ]);
    expect(await server.auth.api.signIn(ada)).toMatchObject({ ok: false, error: { code: 'SERVICE_UNAVAILABLE' } });
    expect((await browser.get('/api/auth/session')).body.session).not.toBeNull();
  });

  it('publishes one event per window, with the limit, its key and the address', async () => {
    const published: EventRecord[] = [];
    const { logger, lines } = recordingLogger();
    const { server, client, clock } = await createTestServer({
      ...{ engine, logger },
      auth: { onEvent: (event) => void published.push(event), emailPassword: { rateLimit: { maxAttempts: 2 } } },
    });
    const signIn = (): Promise<unknown> =>
      client('192.0.2.1').post(
        '/api/auth/signin',
        { ...ada, email: 'ADA@example.com' },
        { headers: { 'user-agent': 'x' } },
      );
    const reached = (): readonly EventRecord[] => published.filter(({ type }) => type === 'rate_limit.reached');
    for (const expected of [0, 0, 1, 1, 1]) {
      await signIn();
      await server.auth.drain();
      expect(reached()).toHaveLength(expected);
    }
    clock.advance(900_000);
    for (let count = 0; count < 5; count += 1) await signIn();
    for (let count = 0; count < 12; count += 1) await client('2001:db8::1').post('/api/auth/refresh');
    await server.auth.drain();
    const byEmail = { limit: 'signin', key: ada.email };
    expect(reached()).toMatchObject([
      { at: new Date(clock.now().getTime() - 900_000), ipAddress: '192.0.2.1', userAgent: 'x', detail: byEmail },
      { at: clock.now(), ipAddress: '192.0.2.1', userAgent: 'x', detail: byEmail },
      { at: clock.now(), ipAddress: '2001:db8::1', detail: { limit: 'unknownRefresh', key: '2001:db8::/64' } },
    ]);
    expect(lines.filter(({ fields }) => fields['event'] === 'rate_limit.reached')).toHaveLength(3);
  });

  it('is refused even if its event cannot be stored', async () => {
    const { logger, lines } = recordingLogger();
    const { server, client } = await createTestServer({ engine, logger, auth: { emailPassword: limitOfOne } });
    await client().post('/api/auth/signin', ada);
    const error = new Error('the log is full');
    vi.spyOn(server.stores.events, 'append').mockRejectedValueOnce(error);
    const response = await client().post('/api/auth/signin', ada);
    expect([refusalOf(response), response.headers.get('retry-after')]).toEqual(['RATE_LIMITED', '900']);
    expect(lines.filter(({ level }) => level === 'error').map(({ fields }) => fields['err'])).toEqual([error]);
  });
});
