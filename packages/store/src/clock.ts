/** The only source of time of the stores and the domain packages; tests and skew correction replace it. */
export interface Clock {
  /** Returns the current moment, in whole milliseconds. */
  now(): Date;
}

/** The clock of this machine: sufficient if all processes on the database run on it. */
export const systemClock: Clock = {
  // oxlint-disable-next-line house/no-ambient-clock -- the default clock of stores, where the app passes no other
  now: () => new Date(),
};
