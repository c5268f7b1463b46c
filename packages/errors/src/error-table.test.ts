import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ErrorCode, errorTable } from './error-table.ts';

describe('errorTable', () => {
  it('is the closed list of the HTTP contract', () => {
    const byStatus = Map.groupBy(Object.entries(errorTable), ([, { status }]) => status);
    expect(Object.fromEntries([...byStatus].map(([status, codes]) => [status, codes.map(([code]) => code)]))).toEqual({
      400: [
        'INVALID_JSON',
        'VALIDATION_FAILED',
        'INVALID_QUERY',
        'QUERY_TOO_EXPENSIVE',
        'TOKEN_INVALID',
        'TOKEN_EXPIRED',
        'MFA_INVALID_CODE',
        'MFA_NOT_ENABLED',
      ],
      401: ['UNAUTHENTICATED', 'INVALID_CREDENTIALS', 'SESSION_EXPIRED'],
      403: ['CSRF_FAILED', 'FORBIDDEN', 'MFA_REQUIRED', 'STEP_UP_REQUIRED', 'EMAIL_NOT_VERIFIED'],
      404: ['NOT_FOUND', 'SESSION_NOT_FOUND'],
      405: ['METHOD_NOT_ALLOWED'],
      408: ['REQUEST_TIMEOUT'],
      409: ['USER_EXISTS', 'CONFLICT', 'MFA_ALREADY_ENABLED', 'LAST_SIGN_IN_METHOD'],
      412: ['PRECONDITION_FAILED'],
      413: ['PAYLOAD_TOO_LARGE'],
      415: ['UNSUPPORTED_MEDIA_TYPE'],
      429: ['RATE_LIMITED'],
      431: ['HEADERS_TOO_LARGE'],
      500: ['INTERNAL_ERROR'],
      503: ['SERVICE_UNAVAILABLE'],
    });
  });

  it('is the list of the README', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const unwrapped = readme.replaceAll(/\n {2}(?=\S)/g, ' ');
    const items = [...unwrapped.matchAll(/^- `(\w+)` \((\d+); (.*?)\): (.*)$/gm)];
    expect(items.map(([, ...parts]) => parts)).toEqual(
      Object.entries(errorTable).map(([code, { status, meaning, thrownBy }]) => [
        code,
        String(status),
        thrownBy,
        meaning,
      ]),
    );
  });

  it('names every package that throws an error of its own', () => {
    const packages = new URL('../../', import.meta.url);
    const sources = globSync('*/src/**/*.ts', { cwd: packages }).filter((file) => !isTest(file));
    const thrown = sources.flatMap((file) =>
      [...readFileSync(new URL(file, packages), 'utf8').matchAll(constructed)].map(
        ([, code]) => [file, code as ErrorCode] as const,
      ),
    );
    expect(thrown.length).toBeGreaterThan(20);
    const isNamed = ([file, code]: (typeof thrown)[number]): boolean =>
      file.startsWith('errors/') || errorTable[code].thrownBy.split(', ').includes(file.split('/')[0]!);
    expect(thrown.filter((each) => !isNamed(each))).toEqual([]);
  });
});

// Not in a comment, where examples stand between backticks.
const constructed = /(?<!`)new CodedError\(\s*'([A-Z_]+)'/g;

const isTest = (file: string): boolean => /\.test\.ts$|\/testing\//.test(file);
