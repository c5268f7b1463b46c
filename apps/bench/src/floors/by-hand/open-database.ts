import Database from 'better-sqlite3';

/** A row of `users`; moments are milliseconds since the epoch. */
export interface UserRow {
  readonly user_id: string;
  readonly email: string;
  readonly email_verified: number;
  readonly role: string;
  readonly tenant_id: string | null;
  readonly user_created_at: number;
  readonly user_updated_at: number;
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

const schema = `
  CREATE TABLE users (
    id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, email_verified INTEGER NOT NULL, role TEXT NOT NULL,
    tenant_id TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
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
`;

/** Opens a new database, as durable as the project's: every commit is on the disk before it is answered. */
export function openDatabase(file: string): Database.Database {
  const database = new Database(file);
  for (const pragma of ['journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON']) database.pragma(pragma);
  database.exec(schema);
  return database;
}
