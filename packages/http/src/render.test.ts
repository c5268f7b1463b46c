import { CodedError, type Logger } from '@x/errors';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { errorHandler, matchesEntityTag, renderError, renderMethodNotAllowed } from './render.ts';
import { responseHeaders } from './response-context.ts';

function appThatThrows(error: unknown, lines: unknown[] = []): Hono {
  const log =
    (level: string) =>
    (fields: object, message: string): unknown =>
      lines.push({ level, ...fields, message });
  const logger: Logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
  const app = new Hono();
  app.onError(errorHandler(logger));
  app.use(responseHeaders({}));
  app.all('/', () => {
    throw error;
  });
  return app;
}

describe('errorHandler', () => {
  it('responds to a coded error with its status and extras', async () => {
    const error = new CodedError('VALIDATION_FAILED', 'No.', { issues: [{ path: ['a'], code: 'b', message: 'c' }] });
    const response = await appThatThrows(error).request('/');
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: { code: 'VALIDATION_FAILED', message: 'No.', issues: [{ path: ['a'], code: 'b', message: 'c' }] },
    });
  });

  it('says in whole seconds when a retry can succeed', async () => {
    const error = new CodedError('SERVICE_UNAVAILABLE', 'Later.', { retryAfter: 1.2 });
    const response = await appThatThrows(error).request('/');
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('2');
  });

  it('hides everything about an unknown error but logs it', async () => {
    const lines: object[] = [];
    const error = new Error('SELECT secret FROM users');
    const response = await appThatThrows(error, lines).request('/');
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ error: { code: 'INTERNAL_ERROR', message: 'Something went wrong.' } });
    expect(lines).toEqual([expect.objectContaining({ level: 'error', err: error, path: '/' })]);
  });

  it('logs the cause of a coded fault and never sends it', async () => {
    const lines: object[] = [];
    const cause = new Error('connect ECONNREFUSED 10.0.0.1');
    const response = await appThatThrows(new CodedError('SERVICE_UNAVAILABLE', 'Later.', { cause }), lines).request(
      '/',
    );
    expect(await response.text()).not.toContain('ECONNREFUSED');
    expect(lines).toEqual([expect.objectContaining({ err: cause })]);
  });

  it.each(['FORBIDDEN', 'CSRF_FAILED', 'MFA_REQUIRED'] as const)(
    'warns of a refusal with %s, telling nothing that the request or the error carries',
    async (code) => {
      const lines: object[] = [];
      const error = new CodedError(code, 'Not you.', { reason: 'plan', meta: { of: 'bob' } });
      const headers = { 'x-request-id': 'r-1', authorization: 'Bearer token', cookie: 'app.sid=a' };
      await appThatThrows(error, lines).request('/?token=secret', { method: 'POST', headers, body: 'password' });
      const facts = { requestId: 'r-1', method: 'POST', path: '/', code };
      expect(lines).toEqual([{ level: 'warn', ...facts, message: 'request refused' }]);
    },
  );

  it.each(['VALIDATION_FAILED', 'UNAUTHENTICATED', 'NOT_FOUND', 'RATE_LIMITED'] as const)(
    'logs nothing about %s',
    async (code) => {
      const lines: object[] = [];
      await appThatThrows(new CodedError(code, 'No.'), lines).request('/');
      expect(lines).toEqual([]);
    },
  );
});

describe('renderError', () => {
  const cleared = ['app.sid=; Max-Age=0; Path=/', 'app.ref=; Max-Age=0; Path=/api/auth'];

  it('carries headers and cookies beside the error', async () => {
    const error = new CodedError('SESSION_EXPIRED', 'Sign in again.', { retryAfter: 3 });
    const app = new Hono().get('/', (c) => renderError(c, error, { headers: { 'X-A': 'b' }, cookies: cleared }));
    const response = await app.request('/');
    expect(response.status).toBe(401);
    expect(response.headers.getSetCookie()).toEqual(cleared);
    expect(response.headers.get('x-a')).toBe('b');
    expect(response.headers.get('retry-after')).toBe('3');
    expect(await response.json()).toEqual({ error: error.toBody() });
  });

  it('sets no cookie by default', async () => {
    const app = new Hono().get('/', (c) => renderError(c, new CodedError('NOT_FOUND', 'No.')));
    const response = await app.request('/');
    expect(response.headers.getSetCookie()).toEqual([]);
  });
});

describe('renderMethodNotAllowed', () => {
  it('lists the methods that the path supports', async () => {
    const response = await new Hono().get('/', (c) => renderMethodNotAllowed(c, ['POST', 'PUT'])).request('/');
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST, PUT');
  });
});

it.each(['"a"', 'W/"a"', '"b", "a"', '"b",W/"a"', '*', ' * '])('%s names the tag', (header) => {
  expect(matchesEntityTag(header, '"a"')).toBe(true);
});

it.each([
  ...[undefined, '', '"b"', 'a', '"a', '"ab"', 'w/"a"', 'W/a', '"b" "a"', '"b", a', '"a" x', '"b,"a",c"'],
  ...['W/*', '"*"', 'W/"*"', '"b", *', '*, "b"', '**', '\u00a0*'],
])('%s names another one, or none', (header) => {
  expect(matchesEntityTag(header, '"a"')).toBe(false);
});

it('takes no longer for a header that is long and no list', () => {
  for (const part of ['"b",', '"b" ', ',', ' ', '\t,', 'W/']) {
    expect(matchesEntityTag(`${part.repeat(16_384 / part.length)}x`, '"a"')).toBe(false);
  }
});
