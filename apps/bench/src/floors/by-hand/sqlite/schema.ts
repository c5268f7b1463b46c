/** What the routes need, and no more. */
export const schema = `
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
