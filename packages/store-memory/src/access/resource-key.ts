import type { Resource } from '@x/store';

/**
 * Returns the unique key of a resource. No text contains U+0000, so it can separate type and id.
 *
 * Recent keys are cached: building and hashing a string takes longer than looking it up.
 */
export function toResourceKey({ type, id }: Resource): string {
  return made.get(type)?.get(id) ?? make(type, id);
}

/** The number of cached keys, and the maximum length of their ids, which may come from requests. */
const [maxKept, maxLength] = [20_000, 100];

const made = new Map<string, Map<string, string>>();
let kept = 0;

function make(type: string, id: string): string {
  const key = `${type}\0${id}`;
  if (key.length > maxLength) return key;
  if (kept === maxKept) {
    made.clear();
    kept = 0;
  }
  const ofType = made.get(type) ?? new Map<string, string>();
  made.set(type, ofType.set(id, key));
  kept += 1;
  return key;
}

/** Copies a caller's resource and freezes the copy, so that it can be shared. */
export function copyResource({ type, id }: Resource): Resource {
  return Object.freeze({ type, id });
}
