/** What the routes need, and no more. A limit is one row that changes with each attempt, so its pages keep some room. */
export const schema = `
  CREATE TABLE users (
    id UUID PRIMARY KEY, email TEXT NOT NULL UNIQUE, email_verified BOOLEAN NOT NULL, password_hash TEXT NOT NULL,
    role TEXT NOT NULL, tenant_id TEXT, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL
  );
  CREATE TABLE sessions (
    id UUID PRIMARY KEY, user_id UUID NOT NULL REFERENCES users (id), refresh_token_hash TEXT NOT NULL,
    previous_token_hash TEXT, refresh_salt TEXT NOT NULL, generation INTEGER NOT NULL, rotated_at BIGINT NOT NULL,
    ip_address TEXT NOT NULL, user_agent TEXT NOT NULL, ver INTEGER NOT NULL, created_at BIGINT NOT NULL,
    last_active_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, revoked_at BIGINT
  );
  CREATE INDEX sessions_user ON sessions (user_id, revoked_at, expires_at);
  CREATE TABLE rate_limits (
    key TEXT PRIMARY KEY, count INTEGER NOT NULL, resets_at BIGINT NOT NULL
  ) WITH (fillfactor = 70);
  CREATE TABLE events (
    id UUID PRIMARY KEY, type TEXT NOT NULL, at BIGINT NOT NULL, user_id UUID NOT NULL, session_id UUID NOT NULL,
    ip_address TEXT NOT NULL, user_agent TEXT NOT NULL
  );
  CREATE INDEX events_user ON events (user_id, at);
`;
