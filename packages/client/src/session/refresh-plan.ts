import type { ClientFailure } from '../request/client-result.ts';
import type { KnownSession } from './known-session.ts';
import type { Surroundings } from './surroundings.ts';
import { backOffMs, elapsedMs, longestRefreshMs, type Moment, now, refreshDelayMs } from './time.ts';

/** When the next refresh is due, and why the last one was in vain. */
export interface RefreshPlan {
  /** Returns why the last refresh was in vain, until the next one is due. */
  failure(): ClientFailure | undefined;
  /** Plans the refresh of a session that is good; nothing where there is none. */
  follow(session?: KnownSession): void;
  /** Plans another attempt. */
  retry(failure: ClientFailure): void;
  /** Gives another tab the time to do what is planned, if anything is. */
  putOff(): void;
  /** Ends for good. */
  close(): void;
}

/** Creates a plan that has nothing planned, of what `refresh` does. */
export function createRefreshPlan({ isPaused, onResume }: Surroundings, refresh: () => void): RefreshPlan {
  let failed: ClientFailure | undefined;
  let failures = 0;
  let planned: Planned | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  const plan = (delay: number, since: Moment = now()): void => {
    planned = { delay, since };
    arm();
  };
  /** Sets the timer for what is planned. In a pause nothing comes of it, until it is set again. */
  const arm = (): void => {
    clearTimeout(timer);
    if (!planned || isClosed) return;
    timer = setTimeout(
      () => {
        if (isPaused()) return;
        failed = undefined;
        refresh();
      },
      Math.max(remainingMs(planned), 0),
    );
    // Node would stay for it.
    (timer as { readonly unref?: () => void }).unref?.();
  };
  const stopListening = onResume(() => {
    if (failed?.error.code === 'NETWORK_FAILED') plan(0);
    else arm();
  });
  const clear = (): void => {
    clearTimeout(timer);
    failed = planned = undefined;
    failures = 0;
  };
  return {
    failure: () => (planned && remainingMs(planned) > 0 ? failed : undefined),
    follow(session) {
      clear();
      if (session) plan(refreshDelayMs(session.lifetime), session.since);
    },
    retry(failure) {
      failed = failure;
      plan(backOffMs(failures++, failure.error.retryAfter));
    },
    putOff() {
      if (planned && remainingMs(planned) < longestRefreshMs) plan(longestRefreshMs);
    },
    close() {
      // What is under way may plan once more when it is answered.
      isClosed = true;
      clear();
      stopListening();
    },
  };
}

/** What is to be done so many milliseconds after a moment. */
interface Planned {
  readonly since: Moment;
  readonly delay: number;
}

function remainingMs({ since, delay }: Planned): number {
  return delay - elapsedMs(since);
}
