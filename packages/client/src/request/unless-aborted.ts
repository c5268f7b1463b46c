import { type ClientFailure, failTo } from './client-result.ts';

/** Stops waiting when the signal aborts; the work itself continues. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T | ClientFailure> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const give = (): void => resolve(failTo('ABORTED'));
    if (signal.aborted) give();
    signal.addEventListener('abort', give);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', give));
  });
}
