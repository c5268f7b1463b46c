import { describe, expect, it } from 'vitest';
import { CodedError } from './coded-error.ts';
import { errorStatus } from './error-codes.ts';

describe('CodedError', () => {
  it('carries the status of its code', () => {
    for (const [code, status] of Object.entries(errorStatus)) {
      expect(new CodedError(code as keyof typeof errorStatus, '').status).toBe(status);
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

describe('errorStatus', () => {
  it('is the closed list of the HTTP contract', () => {
    const byStatus = Map.groupBy(Object.entries(errorStatus), ([, status]) => status);
    expect(Object.fromEntries([...byStatus].map(([status, codes]) => [status, codes.map(([code]) => code)]))).toEqual({
      400: [
        'INVALID_JSON',
        'VALIDATION_FAILED',
        'INVALID_QUERY',
        'TOKEN_INVALID',
        'TOKEN_EXPIRED',
        'MFA_INVALID_CODE',
        'MFA_NOT_ENABLED',
      ],
      401: ['UNAUTHENTICATED', 'INVALID_CREDENTIALS', 'SESSION_EXPIRED'],
      403: ['CSRF_FAILED', 'FORBIDDEN', 'MFA_REQUIRED', 'STEP_UP_REQUIRED', 'EMAIL_NOT_VERIFIED'],
      404: ['NOT_FOUND', 'SESSION_NOT_FOUND'],
      405: ['METHOD_NOT_ALLOWED'],
      409: ['USER_EXISTS', 'CONFLICT', 'MFA_ALREADY_ENABLED', 'LAST_SIGN_IN_METHOD'],
      412: ['PRECONDITION_FAILED'],
      413: ['PAYLOAD_TOO_LARGE'],
      415: ['UNSUPPORTED_MEDIA_TYPE'],
      429: ['RATE_LIMITED'],
      500: ['INTERNAL_ERROR'],
      503: ['SERVICE_UNAVAILABLE'],
    });
  });
});
