/**
 * The database of the routes, with as few statements and commits as it takes. Moments are milliseconds since the epoch.
 */
export interface Database {
  readonly notes: NoteTable;
  addUser(user: NewUser): Awaitable<void>;
  findUser(email: string): Awaitable<StoredUser | undefined>;
  /** Returns how many attempts there were in the current window of a minute, this one included. */
  countAttempt(key: string, now: number): Awaitable<number>;
  /** Adds a session, and an event that tells of it. */
  addSession(session: NewSession, eventId: string): Awaitable<SessionRow>;
  /** Counts an attempt and swaps the token of an active session for the one that `derive` makes. */
  rotate(attempt: RotationAttempt, derive: (session: SessionRow) => string): Awaitable<Rotated | 401 | 429>;
  /** Lists the active sessions of the user whose session this is; nothing where it is over. */
  listOwn(sessionId: string, now: number): Awaitable<readonly SessionRow[]>;
}

/** SQLite answers at once. */
type Awaitable<T> = T | Promise<T>;

/** How many refreshes a client may attempt in the window. */
export const maxRefreshes = 10;

/** How long a window of attempts is. */
export const windowMs = 60_000;

/** A row of `users` as it is joined to sessions. */
export interface UserRow {
  readonly user_id: string;
  readonly email: string;
  readonly email_verified: boolean | number;
  readonly role: string;
  readonly tenant_id: string | null;
  readonly user_created_at: number;
  readonly user_updated_at: number;
}

/** A user with what signs them in. */
export interface StoredUser extends UserRow {
  readonly password_hash: string;
}

/** A row of `sessions`. */
export interface SessionRow {
  readonly id: string;
  readonly generation: number;
  readonly refresh_salt: string;
  readonly ip_address: string;
  readonly user_agent: string;
  readonly ver: number;
  readonly created_at: number;
  readonly last_active_at: number;
  readonly expires_at: number;
}

/** A user who signs up. */
interface NewUser {
  readonly id: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly now: number;
}

/** A session that starts. */
interface NewSession {
  readonly id: string;
  readonly userId: string;
  readonly tokenHash: string;
  readonly salt: string;
  readonly ipAddress: string;
  readonly userAgent: string;
  readonly now: number;
  readonly expiresAt: number;
}

/** A refresh token that was sent. */
interface RotationAttempt {
  /** Attempts with the same key are counted together. */
  readonly key: string;
  readonly sessionId: string;
  readonly tokenHash: string;
  readonly now: number;
}

/** A session as it was before its token was swapped, and the new one. */
interface Rotated {
  readonly row: SessionRow & UserRow;
  readonly refreshToken: string;
}

/** The notes in a database, each step one statement. Moments are milliseconds since the epoch. */
export interface NoteTable {
  get(id: string, ownerId: string): Awaitable<NoteRow | undefined>;
  /** Lists the owner's first notes by id. */
  list(ownerId: string, limit: number): Awaitable<readonly NoteRow[]>;
  create(note: NewNote): Awaitable<NoteRow | undefined>;
  /** Changes the text of a note of the owner's. */
  update(change: NoteChange): Awaitable<NoteRow | undefined>;
}

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

/** The new text of a note. */
interface NoteChange {
  readonly id: string;
  readonly ownerId: string;
  readonly body: string;
  readonly now: number;
}
