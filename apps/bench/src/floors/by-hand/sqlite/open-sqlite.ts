import SqliteDatabase from 'better-sqlite3';
import type { Database, SessionRow, StoredUser } from '../database.ts';
import { createAttemptCounter } from './count-attempt.ts';
import { openNotes } from './open-notes.ts';
import { createRotation } from './rotate-session.ts';
import { schema } from './schema.ts';

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
