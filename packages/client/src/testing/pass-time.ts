import { afterEach, beforeEach, vi } from 'vitest';

const setImmediateReally = setImmediate;

const { timeout: timeoutReally } = Object.getOwnPropertyDescriptors(AbortSignal);

/** Lets every test of a file begin at the same moment, and pass the time itself. */
export function useFakeTime(): void {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.parse('2026-05-04T03:02:01.500Z') });
    fakeTimeouts();
  });
  afterEach(() => {
    vi.useRealTimers();
    restoreTimeouts();
  });
}

/** Makes timeout signals use the fake clock, which the platform's do not. A spy would retain every signal. */
function fakeTimeouts(): void {
  AbortSignal.timeout = (milliseconds) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new DOMException('Too late.', 'TimeoutError')), milliseconds);
    return controller.signal;
  };
}

/** Undoes {@link fakeTimeouts}. */
function restoreTimeouts(): void {
  Object.defineProperty(AbortSignal, 'timeout', timeoutReally);
}

/**
 * Advances the fake time, and runs the timers that are due. `advanceTimersByTimeAsync` does the same, but sleeps for a
 * real millisecond at each timer, of which generated cases have thousands.
 */
export async function passTime(milliseconds: number): Promise<void> {
  let over = false;
  setTimeout(() => (over = true), milliseconds);
  while (!over) {
    vi.advanceTimersToNextTimer();
    await new Promise((resolve) => void setImmediateReally(resolve));
  }
}

/**
 * Advances the fake time until a promise settles.
 *
 * @throws Error if it does not within a minute
 */
export async function passTimeUntil<T>(promise: Promise<T>): Promise<T> {
  let settled = false;
  const note = (): void => void (settled = true);
  promise.then(note, note);
  for (let passed = 0; !settled; passed += 100) {
    if (passed > 60_000) throw new Error('Nothing came of it.');
    await passTime(100);
  }
  return promise;
}
