import type { Resource } from '@x/store';

/**
 * Returns the text that names a resource among all. No text holds U+0000, so it can stand between the two.
 *
 * A text that was made lately is not made again: to build and to hash one takes longer than to look it up.
 */
export function toResourceKey({ type, id }: Resource): string {
  return made.get(type)?.get(id) ?? make(type, id);
}

/** How many texts are kept, and how long the ids of those may be, which may come from requests. */
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

/** Copies a resource of the caller's and freezes the copy, so that it can be shared. */
export function copyResource({ type, id }: Resource): Resource {
  return Object.freeze({ type, id });
}
