import type { RequestHandler } from './handle-requests.ts';

/** Admits requests until it is closed, and knows when the last one has finished. */
export interface InFlight {
  /** Runs a request if the gate is open, and counts it until its response is made; null if the gate is closed. */
  track(answer: () => ReturnType<RequestHandler>): ReturnType<RequestHandler> | null;
  /** Admits no more requests, and waits for those in progress. */
  drain(): Promise<void>;
}

/** Creates an open gate. */
export function createInFlight(): InFlight {
  let isOpen = true;
  let inside = 0;
  const empty = Promise.withResolvers<void>();

  const leave = (): void => {
    inside -= 1;
    if (!isOpen && inside === 0) empty.resolve();
  };
  return {
    track(answer) {
      if (!isOpen) return null;
      inside += 1;
      let answered: ReturnType<RequestHandler> | undefined;
      try {
        answered = answer();
      } finally {
        if (answered instanceof Promise) answered.then(leave, leave);
        else leave();
      }
      return answered;
    },
    async drain() {
      isOpen = false;
      if (inside > 0) await empty.promise;
    },
  };
}
