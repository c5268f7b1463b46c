import type { TimeKey } from '@x/store/engine';

/** Compares ASCII texts such as ids by code point, as `COLLATE "C"` does. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Sorts the newest first, then by id. */
export function compareNewest(a: TimeKey, b: TimeKey): number {
  return b.at.getTime() - a.at.getTime() || compareText(a.id, b.id);
}
