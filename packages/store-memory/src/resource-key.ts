import type { Resource } from '@x/store';

/** Returns the text that names a resource among all. No text holds U+0000, so it can stand between the two. */
export function toResourceKey({ type, id }: Resource): string {
  return `${type}\0${id}`;
}

/** Copies a resource of the caller's and freezes the copy, so that it can be shared. */
export function copyResource({ type, id }: Resource): Resource {
  return Object.freeze({ type, id });
}
