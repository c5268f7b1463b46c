import type { ClientResult } from '../index.ts';
import type { Settle } from './query-store.ts';

/** Makes a call while changes are shown, and settles them by its result; if it throws, they are taken back. */
export async function showDuring<Result extends ClientResult<unknown>>(
  changes: readonly Settle[],
  call: () => Promise<Result>,
): Promise<Result> {
  let result: Result | undefined;
  try {
    return (result = await call());
  } finally {
    changes.forEach((settle) => settle(!!result?.ok, result?.error));
  }
}
