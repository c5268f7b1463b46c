import type { ClientResult } from '@x/client';

/** Returns what a request brought. Throws where it failed. */
export function dataOf<T>(result: ClientResult<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.data;
}

/** Returns the code that a request failed with; `ok` where it did not. */
export function codeOf(result: ClientResult<unknown>): string {
  return result.ok ? 'ok' : result.error.code;
}
