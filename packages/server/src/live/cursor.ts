import type { Auth } from '@x/auth';

/** The position of a client in a stream. */
export interface Cursor {
  readonly streamId: string;
  /** The position in the feed of changes. */
  readonly position: string;
  /** When the cursor was issued, in milliseconds. */
  readonly at: number;
}

/** Longer than any cursor, so that the length of a sealed cursor reveals nothing. */
const sealedLength = 128;

/** Seals a cursor for one user, who alone can open it. All sealed cursors have the same length. */
export function sealCursor(cursors: Auth['cursors'], { streamId, position, at }: Cursor, userId: string): string {
  return cursors.seal(JSON.stringify([streamId, position, at]).padEnd(sealedLength), userId);
}

/** Opens a cursor; null for a text that was not sealed for this user. */
export function openCursor(cursors: Auth['cursors'], sealed: string, userId: string): Cursor | null {
  const text = cursors.open(sealed, userId);
  if (text === null) return null;
  const [streamId, position, at] = JSON.parse(text) as [string, string, number];
  return { streamId, position, at };
}
