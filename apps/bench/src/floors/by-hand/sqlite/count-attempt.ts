import type SqliteDatabase from 'better-sqlite3';
import { windowMs } from '../database.ts';

/** A minute from now is what an attempt brings along; where the stored one is over by now, it starts anew. */
const countAttempt = `
  INSERT INTO rate_limits (key, count, resets_at) VALUES (?, 1, ?)
  ON CONFLICT (key) DO UPDATE SET
    count = CASE WHEN resets_at <= excluded.resets_at - ${windowMs} THEN 1 ELSE count + 1 END,
    resets_at = CASE WHEN resets_at <= excluded.resets_at - ${windowMs} THEN excluded.resets_at ELSE resets_at END
  RETURNING count`;

/** Returns what counts an attempt in one statement. */
export function createAttemptCounter(database: SqliteDatabase.Database): (key: string, now: number) => number {
  const attempt = database.prepare<[string, number]>(countAttempt).pluck();
  return (key, now) => Number(attempt.get(key, now + windowMs));
}
