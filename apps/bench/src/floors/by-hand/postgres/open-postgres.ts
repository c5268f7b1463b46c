import pg from 'pg';
import { type Database, type SessionRow, type StoredUser, windowMs } from '../database.ts';
import { countAttempt } from './count-attempt.ts';
import { openNotes } from './open-notes.ts';
import { createRotation } from './rotate-session.ts';
import { schema } from './schema.ts';
import { statement } from './statement.ts';

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
