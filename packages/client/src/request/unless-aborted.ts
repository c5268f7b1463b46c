import { type ClientFailure, failTo } from './client-result.ts';

/** Returns the failure of a request that its caller ended. */
export function aborted(): ClientFailure {
  return failTo('ABORTED', 'Aborted.');
}

/** Waits no longer than the caller wants; what it waits for goes on. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T | ClientFailure> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const give = (): void => resolve(aborted());
    if (signal.aborted) give();
    signal.addEventListener('abort', give);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', give));
  });
}
