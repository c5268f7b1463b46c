/** Compares ASCII texts such as ids by code point, as `COLLATE "C"` does. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
