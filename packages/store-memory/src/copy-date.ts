/** Copies a moment: a `Date` can be changed by whoever holds it. */
export function copyDate<Moment extends Date | null>(moment: Moment): Date | (Moment & null) {
  return moment === null ? moment : new Date(moment);
}
