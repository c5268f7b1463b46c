/** The only source of time of the stores and the domain packages; tests and skew correction replace it. */
export interface Clock {
  /** Returns the current moment, in whole milliseconds. */
  now(): Date;
}
