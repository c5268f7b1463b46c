/** What the routes of notes ask of a database, each in one statement. Moments are milliseconds since the epoch. */
export interface NoteTable {
  get(id: string, ownerId: string): Awaitable<NoteRow | undefined>;
  /** Lists the owner's first notes by id. */
  list(ownerId: string, limit: number): Awaitable<readonly NoteRow[]>;
  create(note: NewNote): Awaitable<NoteRow | undefined>;
  /** Changes the text of a note of the owner's. */
  update(change: NoteChange): Awaitable<NoteRow | undefined>;
}

/** SQLite answers at once. */
type Awaitable<T> = T | Promise<T>;

/** A row of `notes`. */
export interface NoteRow {
  readonly id: string;
  readonly owner_id: string;
  readonly title: string;
  readonly body: string;
  readonly pinned: boolean | number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly version: number;
}

/** A note to be stored. */
interface NewNote {
  readonly id: string;
  readonly ownerId: string;
  readonly title: string;
  readonly body: string;
  readonly now: number;
}

/** What a note is to say from now on. */
interface NoteChange {
  readonly id: string;
  readonly ownerId: string;
  readonly body: string;
  readonly now: number;
}
