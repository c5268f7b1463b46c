import type { Awaitable } from '@x/errors';

/** Counts the requests in flight, so that a server can wait for them before it stops. */
export interface InFlight {
  /** Runs a request, and counts it until its response is made; null, without running it, once `drain` was called. */
  track(respond: () => Awaitable<Response>): Awaitable<Response> | null;
  /** Accepts no more requests, and waits for those in flight. */
  drain(): Promise<void>;
}

/** Creates a counter that accepts requests. */
export function createInFlight(): InFlight {
  let isDraining = false;
  let count = 0;
  const drained = Promise.withResolvers<void>();

  const finish = (): void => {
    count -= 1;
    if (isDraining && count === 0) drained.resolve();
  };
  return {
    track(respond) {
      if (isDraining) return null;
      count += 1;
      let response: Awaitable<Response> | undefined;
      try {
        response = respond();
      } finally {
        if (response instanceof Promise) response.then(finish, finish);
        else finish();
      }
      return response;
    },
    async drain() {
      isDraining = true;
      if (count > 0) await drained.promise;
    },
  };
}
