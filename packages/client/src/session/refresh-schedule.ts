import type { ClientFailure } from '../request/send.ts';
import type { Environment } from './environment.ts';
import type { ActiveSession } from './session-state.ts';
import { backOffMs, elapsedMs, longestRefreshMs, type Moment, now } from './time.ts';

/** When the next refresh is due, and why the last one failed. */
export interface RefreshSchedule {
  /** Returns why the last refresh failed, until the next one is due. */
  failure(): ClientFailure | false | undefined;
  /** Plans the refresh of a valid session, or nothing without one. */
  schedule(session?: ActiveSession): void;
  /** Plans another attempt after a failure. */
  retry(failure: ClientFailure): void;
  /** Postpones the planned refresh, if any, to give another tab time for it. */
  postpone(): void;
  /** Ends the plan for good. */
  close(): void;
}

/** Creates an empty plan, which calls `refresh` when it is due. */
export function createRefreshSchedule({ isPaused, onResume }: Environment, refresh: () => void): RefreshSchedule {
  let failed: ClientFailure | undefined;
  let failures = 0;
  let due: Moment | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** How long until the planned refresh is due: forever, if none is planned. */
  const remainingMs = (): number => (due ? -elapsedMs(due) : Infinity);
  const plan = (delay: number, [ticks, wall]: Moment = now()): void => {
    due = [ticks + delay, wall + delay];
    arm();
  };
  /** Sets the timer for the planned refresh. During a pause it has no effect; resuming sets it again. */
  let arm = (): void => {
    clearTimeout(timer);
    if (!due) return;
    timer = setTimeout(() => {
      if (isPaused?.()) return;
      failed = undefined;
      refresh();
    }, remainingMs());
    // Otherwise it would keep Node alive.
    (timer as { readonly unref?: () => void }).unref?.();
  };
  const stopListening = onResume?.(() => {
    if (failed?.error.code === 'NETWORK_FAILED') plan(0);
    else arm();
  });
  const clear = (): void => {
    failed = due = undefined;
    failures = 0;
    arm();
  };
  return {
    failure: () => remainingMs() > 0 && failed,
    schedule(session) {
      clear();
      // Three quarters of the lifetime, varying between tabs; timers overflow beyond 24 days.
      if (session) plan(Math.min(session.lifetime * (0.75 - Math.random() / 10), 2e9), session.since);
    },
    retry(failure) {
      failed = failure;
      plan(backOffMs(failures++, failure.error.retryAfter));
    },
    postpone() {
      if (remainingMs() < longestRefreshMs) plan(longestRefreshMs);
    },
    close() {
      // A refresh in progress may plan another one when its response arrives.
      clear();
      arm = () => {};
      stopListening?.();
    },
  };
}
