/** Copies a moment: a `Date` can be changed by whoever holds it. */
export function copyDate<Moment extends Date | null>(moment: Moment): Date | Extract<Moment, null>;
export function copyDate(moment: Date | null): Date | null {
  return moment && new Date(moment);
}
