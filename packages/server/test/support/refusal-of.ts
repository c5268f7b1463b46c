import { type ErrorCode, errorTable } from '@x/errors';
import type { TestAnswer } from './test-client.ts';

/** The members that the one error shape may have. */
const members: ReadonlySet<string> = new Set([
  ...['code', 'message', 'issues', 'reason', 'reasons', 'meta', 'retryAfter'],
]);

/** Returns the code of an answer in the one error shape, under the status of the code; for any other, what it was. */
export function refusalOf(answer: TestAnswer): string {
  return isRefusal(answer) ? answer.body.error.code : `${answer.status} ${answer.text.slice(0, 500)}`;
}

/** Returns null for a success and for a refusal in the one error shape; for a fault of the server, what it was. */
export function faultOf(answer: TestAnswer): string | null {
  const isFine = answer.status < 400 || (answer.status < 500 && isRefusal(answer));
  return isFine ? null : `${answer.status} ${answer.text.slice(0, 500)}`;
}

function isRefusal({ status, body }: TestAnswer): boolean {
  if (Object.keys(body ?? {}).join() !== 'error') return false;
  const { code, message } = body.error;
  return (
    Object.hasOwn(errorTable, code) &&
    errorTable[code as ErrorCode].status === status &&
    typeof message === 'string' &&
    Object.keys(body.error).every((name) => members.has(name))
  );
}
