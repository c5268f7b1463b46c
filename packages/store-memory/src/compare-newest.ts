import type { TimeKey } from '@x/store/engine';
import { compareText } from './compare-text.ts';

/** Sorts the newest first, then by id. */
export function compareNewest(a: TimeKey, b: TimeKey): number {
  return b.at.getTime() - a.at.getTime() || compareText(a.id, b.id);
}
