import { type ErrorCode, errorTable } from '@x/errors';
import type { TestResponse } from './test-client.ts';

/** The members that the common error shape may have. */
const members: ReadonlySet<string> = new Set([
  ...['code', 'message', 'issues', 'reason', 'reasons', 'meta', 'retryAfter'],
]);

/**
 * Returns the error code of a response in the common error shape with the matching status; otherwise a description of
 * the response.
 */
export function refusalOf(response: TestResponse): string {
  return isRefusal(response) ? response.body.error.code : `${response.status} ${response.text.slice(0, 500)}`;
}

/** Returns null for a success and for a refusal in the common error shape, and a description of an internal error. */
export function faultOf(response: TestResponse): string | null {
  const isFine = response.status < 400 || (response.status < 500 && isRefusal(response));
  return isFine ? null : `${response.status} ${response.text.slice(0, 500)}`;
}

function isRefusal({ status, body }: TestResponse): boolean {
  if (Object.keys(body ?? {}).join() !== 'error') return false;
  const { code, message } = body.error;
  return (
    Object.hasOwn(errorTable, code) &&
    errorTable[code as ErrorCode].status === status &&
    typeof message === 'string' &&
    Object.keys(body.error).every((name) => members.has(name))
  );
}
