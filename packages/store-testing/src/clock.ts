import type { Clock } from '@x/store';

/** A clock that stands still until it is moved. */
export class ManualClock implements Clock {
  #time: number;

  constructor(start: Date | string = '2026-01-01T00:00:00.000Z') {
    this.#time = new Date(start).getTime();
  }

  now(): Date {
    return new Date(this.#time);
  }

  /** Moves the clock by milliseconds; a negative number moves it back. */
  advance(milliseconds: number): void {
    this.#time += milliseconds;
  }
}
