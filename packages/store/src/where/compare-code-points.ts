/**
 * Orders texts by code point, as `COLLATE "C"` and SQLite do. JavaScript itself orders by code unit, which puts
 * characters above U+FFFF before those from U+E000 on.
 */
export function compareCodePoints(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const [unit, other] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (unit !== other) return toRank(unit) - toRank(other);
  }
  return a.length - b.length;
}

/** Ranks surrogates, which encode the characters above U+FFFF, after all other code units. */
function toRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
