/** Orders texts of one script by code point, as `COLLATE "C"` does; ids are such texts. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
