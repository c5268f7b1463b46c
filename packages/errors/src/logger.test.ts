import { afterEach, beforeEach, describe, expect, it, type Mock, vi } from 'vitest';
import { toLogger } from './logger.ts';

const write = (): Mock<(...written: unknown[]) => void> => vi.fn<(...written: unknown[]) => void>();
const [info, warn, error] = [write(), write(), write()];

beforeEach(() => {
  for (const method of [info, warn, error]) method.mockReset();
  vi.stubGlobal('console', { ...console, info, warn, error });
});

afterEach(() => void vi.unstubAllGlobals());

describe('without a logger', () => {
  it('writes one line with the fields, and the error with its stack', () => {
    const err = new TypeError('rows is not iterable');
    toLogger(undefined).error({ requestId: 'r-1', method: 'GET', path: '/api/tasks', err }, 'request failed');
    const line = 'error: request failed requestId=r-1 method=GET path=/api/tasks err="TypeError: rows is not iterable"';
    expect(error.mock.calls).toEqual([[line, err]]);
  });

  it('writes no stack in production', () => {
    toLogger(undefined, true).error({ err: new Error('lost') }, 'call failed');
    expect(error.mock.calls).toEqual([['error: call failed err="Error: lost"']]);
  });

  it('writes every level but debug', () => {
    const logger = toLogger(undefined);
    logger.warn({}, 'a secret is short');
    logger.info({ event: 'sign_in.failed' }, 'security event');
    logger.debug({}, 'request');
    expect(warn.mock.calls).toEqual([['warn: a secret is short']]);
    expect(info.mock.calls).toEqual([['info: security event event=sign_in.failed']]);
    expect(['debug', 'info', 'warn', 'error'].filter((level) => logger.isLevelEnabled?.(level))).toEqual([
      'info',
      'warn',
      'error',
    ]);
  });

  it('keeps each field in its place, whatever a client sends', () => {
    toLogger(undefined).warn({ path: '/a\nerror: b "c', count: 2, none: null, cause: undefined }, 'request refused');
    expect(warn.mock.calls).toEqual([['warn: request refused path="/a\\nerror: b \\"c" count=2 none=null']]);
  });

  it('writes what is no error without looking into it', () => {
    const thrown = Object.create(null) as object;
    toLogger(undefined).error({ err: thrown }, 'call failed');
    expect(error.mock.calls).toEqual([['error: call failed err="object"', thrown]]);
  });
});

it('logs nothing with false', () => {
  const logger = toLogger(false);
  logger.error({ err: new Error('lost') }, 'call failed');
  expect(error).not.toHaveBeenCalled();
  expect(logger.isLevelEnabled?.('error')).toBe(false);
});

it('returns the logger that is given', () => {
  const own = { ...toLogger(false) };
  expect(toLogger(own)).toBe(own);
});
