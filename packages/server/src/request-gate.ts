import type { Answer } from './frame-requests.ts';

/** Lets requests in until it is closed, and knows when the last of them is out. */
export interface RequestGate {
  /** Says whether a request may begin, and counts it until its answer is made. */
  enter(answer: () => ReturnType<Answer>): ReturnType<Answer> | null;
  /** Lets nobody in any more and waits for those inside. */
  close(): Promise<void>;
}

/** Creates an open gate. */
export function createRequestGate(): RequestGate {
  let isOpen = true;
  let inside = 0;
  const empty = Promise.withResolvers<void>();

  const leave = (): void => {
    inside -= 1;
    if (!isOpen && inside === 0) empty.resolve();
  };
  return {
    enter(answer) {
      if (!isOpen) return null;
      inside += 1;
      let answered: ReturnType<Answer> | undefined;
      try {
        answered = answer();
      } finally {
        if (answered instanceof Promise) answered.then(leave, leave);
        else leave();
      }
      return answered;
    },
    async close() {
      isOpen = false;
      if (inside > 0) await empty.promise;
    },
  };
}
