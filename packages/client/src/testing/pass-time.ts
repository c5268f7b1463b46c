import { vi } from 'vitest';

const setImmediateReally = setImmediate;

const { timeout: timeoutReally } = Object.getOwnPropertyDescriptors(AbortSignal);

/** Has limits of time go by the faked one, which the signals of the platform do not. A spy would keep every signal. */
export function fakeTimeouts(): void {
  AbortSignal.timeout = (milliseconds) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new DOMException('Too late.', 'TimeoutError')), milliseconds);
    return controller.signal;
  };
}

/** Undoes {@link fakeTimeouts}. */
export function restoreTimeouts(): void {
  Object.defineProperty(AbortSignal, 'timeout', timeoutReally);
}

/**
 * Lets the faked time pass, and whatever waits for it go on. `advanceTimersByTimeAsync` does the same and sleeps for a real
 * millisecond at each timer, of which generated cases have thousands.
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
 * Lets the faked time pass until a promise has come to something.
 *
 * @throws Error where it has not within a minute
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
