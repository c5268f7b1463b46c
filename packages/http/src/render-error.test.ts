import { CodedError, type Logger } from '@x/errors';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { errorHandler } from './render-error.ts';

function appThatThrows(error: unknown, lines: unknown[] = []): Hono {
  const log = (fields: object, message: string): unknown => lines.push({ ...fields, message });
  const logger: Logger = { debug: log, info: log, warn: log, error: log };
  const app = new Hono();
  app.onError(errorHandler(logger));
  app.get('/', () => {
    throw error;
  });
  return app;
}

describe('errorHandler', () => {
  it('answers a coded error with its status and extras', async () => {
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
    expect(lines).toEqual([expect.objectContaining({ err: error, path: '/' })]);
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
});
