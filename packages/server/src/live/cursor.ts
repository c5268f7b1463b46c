import type { Auth } from '@x/auth';

/** Where a client was in a stream. */
export interface Cursor {
  readonly streamId: string;
  /** Its place in the feed of changes. */
  readonly position: string;
  /** When it was given out, in milliseconds. */
  readonly at: number;
}

/** Longer than any cursor, so that its length says nothing. */
const sealedLength = 128;

/** Seals a cursor for a user, for whom alone it can be opened. All are of the same length. */
export function sealCursor(cursors: Auth['cursors'], { streamId, position, at }: Cursor, userId: string): string {
  return cursors.seal(JSON.stringify([streamId, position, at]).padEnd(sealedLength), userId);
}

/** Opens a cursor; null for anything that was not sealed for this user. */
export function openCursor(cursors: Auth['cursors'], sealed: string, userId: string): Cursor | null {
  const text = cursors.open(sealed, userId);
  if (text === null) return null;
  const [streamId, position, at] = JSON.parse(text) as [string, string, number];
  return { streamId, position, at };
}
