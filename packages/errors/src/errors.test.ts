import { describe, expect, it } from 'vitest';
import { CodedError } from './errors.ts';
import { type ErrorCode, errorTable } from './error-table.ts';

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
