import { describe, expect, it } from 'vitest';
import { type ErrorCode, errorTable } from './error-table.ts';
import * as errors from './errors.ts';

const { CodedError, ConfigurationError } = errors;

describe('CodedError', () => {
  it('carries the status of its code', () => {
    for (const [code, { status }] of Object.entries(errorTable)) {
      expect(new CodedError(code as ErrorCode, '').status).toBe(status);
    }
  });

  it('shows its code, message and extras, and keeps its cause to itself', () => {
    const cause = new Error('SELECT 1');
    const error = new CodedError('SERVICE_UNAVAILABLE', 'Later.', { retryAfter: 2, cause });
    expect(error.toBody()).toEqual({ code: 'SERVICE_UNAVAILABLE', message: 'Later.', retryAfter: 2 });
    expect(error.cause).toBe(cause);
  });

  it('is an Error that names itself', () => {
    expect(new CodedError('FORBIDDEN', 'No.')).toBeInstanceOf(Error);
    expect(String(new CodedError('FORBIDDEN', 'No.'))).toBe('CodedError: No.');
  });
});

it('tells the first problem of an input in its message, unless that is very long', () => {
  const messageOf = (path: readonly (string | number)[], message: string): string =>
    errors.validationFailed([
      { path, code: 'invalid_value', message },
      { path: ['other'], code: 'required', message: 'It is missing.' },
    ]).message;
  expect(messageOf(['create', 0, 'title'], 'Too long.')).toBe('create.0.title: Too long.');
  expect(messageOf([], 'Expected an object.')).toBe('Expected an object.');
  expect(messageOf(['k'.repeat(1000)], 'Unknown.')).toBe('The input is not valid.');
});

it('knows the errors of another copy of the package, which an app may have installed besides', async () => {
  const other = (await import('./errors.ts?copy' as string)) as typeof errors;
  expect(other.CodedError).not.toBe(CodedError);
  expect(new other.CodedError('NOT_FOUND', 'Not found.')).toBeInstanceOf(CodedError);
  expect(new other.ConfigurationError(['it is wrong'])).toBeInstanceOf(ConfigurationError);

  class Special extends CodedError {}
  expect(new Special('NOT_FOUND', 'Not found.')).toBeInstanceOf(CodedError);
  expect(new other.CodedError('NOT_FOUND', 'Not found.')).not.toBeInstanceOf(Special);
  for (const foreign of [
    new Error('No.'),
    Object.assign(new Error('No.'), { code: 'ENOENT' }),
    { code: 'NOT_FOUND' },
    null,
  ]) {
    expect(foreign).not.toBeInstanceOf(CodedError);
    expect(foreign).not.toBeInstanceOf(ConfigurationError);
  }
});
