import type { AccessSet, EncodedAccessSet } from './access-set.ts';

/** Encodes an access set, in the order of its names, without what {@link decodeAccessSet} restores. */
export function encodeAccessSet({ entitlements, plans }: AccessSet): EncodedAccessSet {
  const all = toSorted(entitlements);
  return {
    allow: all.filter(([, { allowed }]) => allowed).map(([name]) => name),
    deny: Object.fromEntries(
      all.flatMap(([name, { allowed, reasons, meta }]) => (allowed || !meta ? [] : [[name, { reasons, meta }]])),
    ),
    plans: Object.fromEntries(toSorted(plans)),
  };
}

function toSorted<Value>(record: Readonly<Record<string, Value>>): readonly (readonly [string, Value])[] {
  return Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
