import { describe, expect, it } from 'vitest';
import { CodedError } from './errors.ts';
import { toLogger } from './logger.ts';
import { toResult } from './result.ts';

describe('toResult', () => {
  it('gives a success both names', async () => {
    expect(await toResult(async () => 1)).toEqual({ ok: true, value: 1, data: 1 });
  });

  it('makes a coded error a value', async () => {
    const verb = async (): Promise<never> => {
      throw new CodedError('NOT_FOUND', 'Gone.', { cause: 'secret' });
    };
    expect(await toResult(verb)).toEqual({ ok: false, error: { code: 'NOT_FOUND', message: 'Gone.' } });
  });

  it('logs the cause of a failure of the server, and of no other', async () => {
    const logged: object[] = [];
    const logger = { ...toLogger(false), error: (fields: object) => void logged.push(fields) };
    for (const code of ['SERVICE_UNAVAILABLE', 'CONFLICT'] as const) {
      await toResult(async () => Promise.reject(new CodedError(code, 'No.', { cause: code })), logger);
    }
    expect(logged).toEqual([{ err: 'SERVICE_UNAVAILABLE' }]);
  });

  it('throws anything else on', async () => {
    const fault = new TypeError('fault');
    await expect(
      toResult(async () => {
        throw fault;
      }),
    ).rejects.toBe(fault);
  });
});
