/** Copies a date, because a `Date` is mutable. */
export function copyDate<Moment extends Date | null>(moment: Moment): Date | Extract<Moment, null>;
export function copyDate(moment: Date | null): Date | null {
  return moment && new Date(moment);
}
