import pg from 'pg';
import type { Pool, QueryResult, QueryResultRow } from 'pg';
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
  INSERT INTO users VALUES ($1, $2, true, $3, 'user', NULL, $4, $4) ON CONFLICT (email) DO NOTHING`;

const selectUser = `
  SELECT id AS user_id, email, email_verified, password_hash, role, tenant_id, created_at AS user_created_at,
    updated_at AS user_updated_at
  FROM users WHERE email = $1`;

const insertSession = `
  WITH event AS (
    INSERT INTO events VALUES ($9, 'sign_in.succeeded', $5, $2, $1, $6, $7)
  )
  INSERT INTO sessions VALUES ($1, $2, $3, NULL, $4, 0, $5, $6, $7, 0, $5, $5, $8, NULL) RETURNING *`;

const selectOwn = `
  SELECT id, ip_address, user_agent, created_at, last_active_at, expires_at FROM sessions
  WHERE revoked_at IS NULL AND expires_at > $1 AND user_id = (
    SELECT user_id FROM sessions WHERE id = $2 AND revoked_at IS NULL AND expires_at > $1
  )
  ORDER BY last_active_at DESC, id`;

// Every BIGINT here is a moment, and those are safe integers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Opens an empty database through ten connections. That a commit is durable is the server's own default. */
export async function openPostgres(url: string): Promise<Database> {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  pool.on('error', (error) => console.error(error));
  await pool.query(schema);
  const addUser = statement<never, [string, string, string, number]>(pool, 'add_user', insertUser);
  const findUser = statement<StoredUser, [string]>(pool, 'find_user', selectUser);
  const attempt = statement<{ count: number }, [string, number]>(pool, 'count_attempt', countAttempt);
  const addSession = statement<SessionRow, (string | number)[]>(pool, 'add_session', insertSession);
  const list = statement<SessionRow, [number, string]>(pool, 'list_own', selectOwn);
  return {
    notes: await openNotes(pool),
    addUser: async ({ id, email, passwordHash, now }) => void (await addUser(id, email, passwordHash, now)),
    findUser: async (email) => (await findUser(email)).rows[0],
    countAttempt: async (key, now) => (await attempt(key, now + windowMs)).rows[0]?.count ?? 0,
    async addSession({ id, userId, tokenHash, salt, now, ipAddress, userAgent, expiresAt }, eventId) {
      const result = await addSession(id, userId, tokenHash, salt, now, ipAddress, userAgent, expiresAt, eventId);
      const [row] = result.rows;
      if (!row) throw new Error('An insert returned no row.');
      return row;
    },
    rotate: createRotation(pool),
    listOwn: async (sessionId, now) => (await list(now, sessionId)).rows,
  };
}

/**
 * A minute from now, `$2`, is what an attempt on `$1` brings along; where the stored one is over by now, it starts
 * anew.
 */
const countAttempt = `
  INSERT INTO rate_limits AS stored (key, count, resets_at) VALUES ($1, 1, $2)
  ON CONFLICT (key) DO UPDATE SET
    count = CASE WHEN stored.resets_at <= excluded.resets_at - ${windowMs} THEN 1 ELSE stored.count + 1 END,
    resets_at = CASE
      WHEN stored.resets_at <= excluded.resets_at - ${windowMs} THEN excluded.resets_at ELSE stored.resets_at
    END
  RETURNING count`;

const countAndFind = `
  WITH attempt AS (${countAttempt})
  SELECT attempt.count AS attempts, sessions.id, generation, refresh_salt, ver, expires_at, users.id AS user_id, email,
    email_verified, role, tenant_id, users.created_at AS user_created_at, users.updated_at AS user_updated_at
  FROM attempt LEFT JOIN (sessions JOIN users ON users.id = user_id) ON sessions.id = $3`;

const swapToken = `
  UPDATE sessions
  SET previous_token_hash = refresh_token_hash, refresh_token_hash = $1, generation = generation + 1, rotated_at = $2,
    last_active_at = $2
  WHERE id = $3 AND refresh_token_hash = $4 AND revoked_at IS NULL AND expires_at > $2`;

/**
 * Returns what rotates: the limit and both reads in one statement, the swap in another. Two commits of their own were
 * quicker than one transaction, which takes two more round trips.
 */
function createRotation(pool: Pool): Database['rotate'] {
  const find = statement<Found, [string, number, string]>(pool, 'count_and_find', countAndFind);
  const swap = statement<never, [string, number, string, string]>(pool, 'swap_token', swapToken);
  return async ({ key, sessionId, tokenHash, now }, derive) => {
    const [row] = (await find(key, now + windowMs, sessionId)).rows;
    if (row === undefined || row.attempts > maxRefreshes) return 429;
    if (row.id === null) return 401;
    const refreshToken = derive(row);
    const { rowCount } = await swap(hashToken(refreshToken), now, sessionId, tokenHash);
    return rowCount === 1 ? { row, refreshToken } : 401;
  };
}

/** All but the attempts is null where there is no such session. */
type Found = { readonly attempts: number } & ((SessionRow & UserRow) | { readonly id: null });

const noteSchema = `
  CREATE TABLE notes (
    id TEXT COLLATE "C" PRIMARY KEY, owner_id TEXT COLLATE "C" NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL,
    pinned BOOLEAN NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, version BIGINT NOT NULL
  );
  CREATE INDEX notes_owner ON notes (owner_id, id);
  CREATE INDEX notes_owner_created ON notes (owner_id, created_at);
`;

/** Makes the table of notes, with the indexes of the demo's. */
async function openNotes(pool: Pool): Promise<NoteTable> {
  await pool.query(noteSchema);
  const get = statement<NoteRow, string[]>(pool, 'get', 'SELECT * FROM notes WHERE id = $1 AND owner_id = $2');
  const list = statement<NoteRow, [string, number]>(
    pool,
    'list',
    'SELECT * FROM notes WHERE owner_id = $1 ORDER BY id LIMIT $2',
  );
  const create = statement<NoteRow, (string | number)[]>(
    pool,
    'create',
    'INSERT INTO notes VALUES ($1, $2, $3, $4, false, $5, $5, 1) RETURNING *',
  );
  const update = statement<NoteRow, (string | number)[]>(
    pool,
    'update',
    'UPDATE notes SET body = $1, updated_at = $2, version = version + 1 WHERE id = $3 AND owner_id = $4 RETURNING *',
  );
  return {
    get: async (id, ownerId) => (await get(id, ownerId)).rows[0],
    list: async (ownerId, limit) => (await list(ownerId, limit)).rows,
    create: async ({ id, ownerId, title, body, now }) => (await create(id, ownerId, title, body, now)).rows[0],
    update: async ({ id, ownerId, body, now }) => (await update(body, now, id, ownerId)).rows[0],
  };
}

/**
 * The tables that the routes need, and no more. A limit is one row that changes with each attempt, so its pages keep
 * some room.
 */
const schema = `
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

/** Returns what runs a named statement, which each connection parses and plans only once. */
function statement<Row extends QueryResultRow, Values extends readonly (string | number)[]>(
  pool: Pool,
  name: string,
  text: string,
): (...values: Values) => Promise<QueryResult<Row>> {
  return (...values) => pool.query<Row>({ name, text, values: [...values] });
}
