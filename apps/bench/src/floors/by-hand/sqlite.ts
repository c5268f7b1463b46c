import SqliteDatabase from 'better-sqlite3';
import {
  type Database,
  maxRefreshes,
  type NoteRow,
  type NoteTable,
  type SessionRow,
  type StoredUser,
  type UserRow,
  windowMs,
} from './database.ts';
import { hashToken } from './tokens.ts';

const insertUser = `
  INSERT INTO users VALUES (?, ?, 1, ?, 'user', NULL, ?, ?) ON CONFLICT (email) DO NOTHING`;

const selectUser = `
  SELECT id AS user_id, email, email_verified, password_hash, role, tenant_id, created_at AS user_created_at,
    updated_at AS user_updated_at
  FROM users WHERE email = ?`;

const insertSession = `
  INSERT INTO sessions VALUES (?, ?, ?, NULL, ?, 0, ?, ?, ?, 0, ?, ?, ?, NULL) RETURNING *`;

const insertEvent = `INSERT INTO events VALUES (?, 'sign_in.succeeded', ?, ?, ?, ?, ?)`;

const selectOwn = `
  SELECT id, ip_address, user_agent, created_at, last_active_at, expires_at FROM sessions
  WHERE revoked_at IS NULL AND expires_at > ? AND user_id = (
    SELECT user_id FROM sessions WHERE id = ? AND revoked_at IS NULL AND expires_at > ?
  )
  ORDER BY last_active_at DESC, id`;

/** Opens a new database, as durable as the project's: every commit is on the disk before it is answered. */
export function openSqlite(file: string): Database {
  const database = new SqliteDatabase(file);
  for (const pragma of ['journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON']) database.pragma(pragma);
  database.exec(schema);
  const addUser = database.prepare<(string | number)[]>(insertUser);
  const findUser = database.prepare<[string], StoredUser>(selectUser);
  const addSession = database.prepare<(string | number)[], SessionRow>(insertSession);
  const addEvent = database.prepare<(string | number)[]>(insertEvent);
  const list = database.prepare<[number, string, number], SessionRow>(selectOwn);
  const countAttempt = createAttemptCounter(database);
  const start = database.transaction<Database['addSession']>((session, eventId) => {
    const { id, userId, tokenHash, salt, ipAddress, userAgent, now, expiresAt } = session;
    const row = addSession.get(id, userId, tokenHash, salt, now, ipAddress, userAgent, now, now, expiresAt);
    if (!row) throw new Error('An insert returned no row.');
    addEvent.run(eventId, now, userId, id, ipAddress, userAgent);
    return row;
  });
  return {
    notes: openNotes(database),
    addUser: ({ id, email, passwordHash, now }) => void addUser.run(id, email, passwordHash, now, now),
    findUser: (email) => findUser.get(email),
    countAttempt,
    addSession: (session, eventId) => start.immediate(session, eventId),
    rotate: createRotation(database, countAttempt),
    listOwn: (sessionId, now) => list.all(now, sessionId, now),
  };
}

const selectSession = `
  SELECT sessions.*, users.id AS user_id, email, email_verified, role, tenant_id,
    users.created_at AS user_created_at, users.updated_at AS user_updated_at
  FROM sessions JOIN users ON users.id = user_id WHERE sessions.id = ?`;

const swapToken = `
  UPDATE sessions
  SET previous_token_hash = refresh_token_hash, refresh_token_hash = ?, generation = generation + 1, rotated_at = ?,
    last_active_at = ?
  WHERE id = ? AND refresh_token_hash = ? AND revoked_at IS NULL AND expires_at > ?`;

/** Returns what rotates: the limit, both reads and the swap in one transaction. */
function createRotation(
  database: SqliteDatabase.Database,
  countAttempt: (key: string, now: number) => number,
): Database['rotate'] {
  const find = database.prepare<[string], SessionRow & UserRow>(selectSession);
  const swap = database.prepare<[string, number, number, string, string, number]>(swapToken);
  const rotate = database.transaction<Database['rotate']>(({ key, sessionId, tokenHash, now }, derive) => {
    if (countAttempt(key, now) > maxRefreshes) return 429;
    const row = find.get(sessionId);
    if (row === undefined) return 401;
    const refreshToken = derive(row);
    const { changes } = swap.run(hashToken(refreshToken), now, now, sessionId, tokenHash, now);
    return changes === 1 ? { row, refreshToken } : 401;
  });
  return (attempt, derive) => rotate.immediate(attempt, derive);
}

/** A minute from now is what an attempt brings along; where the stored one is over by now, it starts anew. */
const countAttempt = `
  INSERT INTO rate_limits (key, count, resets_at) VALUES (?, 1, ?)
  ON CONFLICT (key) DO UPDATE SET
    count = CASE WHEN resets_at <= excluded.resets_at - ${windowMs} THEN 1 ELSE count + 1 END,
    resets_at = CASE WHEN resets_at <= excluded.resets_at - ${windowMs} THEN excluded.resets_at ELSE resets_at END
  RETURNING count`;

/** Returns what counts an attempt in one statement. */
function createAttemptCounter(database: SqliteDatabase.Database): (key: string, now: number) => number {
  const attempt = database.prepare<[string, number]>(countAttempt).pluck();
  return (key, now) => Number(attempt.get(key, now + windowMs));
}

const noteSchema = `
  CREATE TABLE notes (
    id TEXT PRIMARY KEY, owner_id TEXT NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL, pinned INTEGER NOT NULL,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, version INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX notes_owner ON notes (owner_id, id);
  CREATE INDEX notes_owner_created ON notes (owner_id, created_at);
`;

/** Makes the table of notes, with the indexes of the demo's. */
function openNotes(database: SqliteDatabase.Database): NoteTable {
  database.exec(noteSchema);
  const get = database.prepare<string[], NoteRow>('SELECT * FROM notes WHERE id = ? AND owner_id = ?');
  const list = database.prepare<[string, number], NoteRow>(
    'SELECT * FROM notes WHERE owner_id = ? ORDER BY id LIMIT ?',
  );
  const create = database.prepare<(string | number)[], NoteRow>(
    'INSERT INTO notes VALUES (?, ?, ?, ?, 0, ?, ?, 1) RETURNING *',
  );
  const update = database.prepare<(string | number)[], NoteRow>(
    'UPDATE notes SET body = ?, updated_at = ?, version = version + 1 WHERE id = ? AND owner_id = ? RETURNING *',
  );
  return {
    get: (id, ownerId) => get.get(id, ownerId),
    list: (ownerId, limit) => list.all(ownerId, limit),
    create: ({ id, ownerId, title, body, now }) => create.get(id, ownerId, title, body, now, now),
    update: ({ id, ownerId, body, now }) => update.get(body, now, id, ownerId),
  };
}

/** The tables that the routes need, and no more. */
const schema = `
  CREATE TABLE users (
    id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, email_verified INTEGER NOT NULL, password_hash TEXT NOT NULL,
    role TEXT NOT NULL, tenant_id TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), refresh_token_hash TEXT NOT NULL,
    previous_token_hash TEXT, refresh_salt TEXT NOT NULL, generation INTEGER NOT NULL, rotated_at INTEGER NOT NULL,
    ip_address TEXT NOT NULL, user_agent TEXT NOT NULL, ver INTEGER NOT NULL, created_at INTEGER NOT NULL,
    last_active_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, revoked_at INTEGER
  ) STRICT;
  CREATE INDEX sessions_user ON sessions (user_id, revoked_at, expires_at);
  CREATE TABLE rate_limits (
    key TEXT PRIMARY KEY, count INTEGER NOT NULL, resets_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE events (
    id TEXT PRIMARY KEY, type TEXT NOT NULL, at INTEGER NOT NULL, user_id TEXT NOT NULL, session_id TEXT NOT NULL,
    ip_address TEXT NOT NULL, user_agent TEXT NOT NULL
  ) STRICT;
  CREATE INDEX events_user ON events (user_id, at);
`;
