import { describe, expect, it } from 'vitest';
import { CodedError } from './errors.ts';
import { toLogger } from './logger.ts';
import { fail, succeed, toResult, unwrap } from './result.ts';

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

describe('unwrap', () => {
  it('returns the payload of a success', () => {
    expect(unwrap(succeed({ title: 'Engines' }))).toEqual({ title: 'Engines' });
  });

  it('throws the error of a failure, with its details', () => {
    const error = new CodedError('RATE_LIMITED', 'Too many attempts.', { retryAfter: 3 });
    expect(() => unwrap(fail(error))).toThrow(error);
    const received = { ok: false, error: { ...error.toBody(), status: 429 } } as const;
    const thrown = catchError(() => unwrap(received));
    expect(thrown).toBeInstanceOf(CodedError);
    expect(thrown).toMatchObject({ code: 'RATE_LIMITED', status: 429, extras: { retryAfter: 3 } });
    expect((thrown as CodedError).toBody()).toEqual(error.toBody());
  });

  it('throws an error that names the code of a client whose server has not responded', () => {
    const error = { code: 'INVALID_RESPONSE', message: 'INVALID_RESPONSE', status: 502 };
    const thrown = catchError(() => unwrap({ ok: false, error }));
    expect(thrown).toMatchObject({ message: 'INVALID_RESPONSE: 502', cause: error });
    expect(thrown).not.toBeInstanceOf(CodedError);
    const unknown = { ok: false, error: { code: 'toString', message: 'toString' } } as const;
    expect(() => unwrap(unknown)).toThrow(new Error('toString'));
  });
});

function catchError(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}
