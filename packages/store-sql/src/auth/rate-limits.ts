import {
  type CheckedSession,
  isKnownToken,
  type RateLimitAttempt,
  type RateLimitResult,
  type RateLimitStore,
  type SessionAttempt,
} from '@x/store';

import { integer, moment } from '../columns.ts';
import { deleteFirst } from '../delete-first.ts';
import type { SqlRow, SqlExecutor, SqlValue } from '../sql-executor.ts';
import type { OnExecutor, SqlStoreDependencies } from '../store-dependencies.ts';
import { sessionWithUserColumns, sessionWithUserTables, toSessionWithUser } from './session-columns.ts';

/**
 * One row lock orders all attempts on a key. An expired window starts again at 1; the first refused attempt raises the
 * count to one above the allowed number. Later ones change nothing and return nothing, so a flood of them causes no
 * durable writes.
 */
const toCountAttempt = (row: string): string => `
  INSERT INTO auth_rate_limits (key, count, resets_at) ${row}
  ON CONFLICT (key) DO UPDATE SET
    count = CASE
      WHEN auth_rate_limits.resets_at <= $2 THEN 1
      ELSE auth_rate_limits.count + 1
    END,
    resets_at = CASE
      WHEN auth_rate_limits.resets_at <= $2 THEN excluded.resets_at
      ELSE auth_rate_limits.resets_at
    END
  WHERE auth_rate_limits.resets_at <= $2 OR auth_rate_limits.count <= $4
  RETURNING count, resets_at`;

const countAttempt = toCountAttempt('VALUES ($1, 1, $3)');

/**
 * Both in one statement, which reads the session as it was when the statement started. A change of the session while
 * the statement waits for another attempt with the same key counts as later.
 */
const findAndCount = `
  WITH found AS (SELECT ${sessionWithUserColumns} FROM ${sessionWithUserTables} WHERE s.id = $5),
  attempt AS (${toCountAttempt(`VALUES (
    CASE WHEN EXISTS (SELECT 1 FROM found WHERE $6 IN (s_refresh_token_hash, s_previous_token_hash)) THEN $1 ELSE $7 END,
    1, $3
  )`)})
  SELECT attempt.count, attempt.resets_at, found.*
  FROM (SELECT 1) AS always LEFT JOIN attempt ON TRUE LEFT JOIN found ON TRUE`;

const selectFull = 'SELECT 1 FROM auth_rate_limits WHERE key = $1 AND resets_at > $2 AND count >= $3';

const selectReset = 'SELECT resets_at FROM auth_rate_limits WHERE key = $1';

// The attempt above the limit was refused, so it can't be taken back.
const subtractAttempt = `
  UPDATE auth_rate_limits SET count = CASE WHEN count > $2 THEN $2 ELSE count END - 1
  WHERE key = $1 AND resets_at = $3 AND resets_at > $4 AND count > 0`;

const ended = { table: 'auth_rate_limits', key: 'key', where: 'resets_at <= $1', order: 'resets_at' };

/** Builds the rate-limit store. */
export function createSqlRateLimits({ dialect, clock }: SqlStoreDependencies): OnExecutor<RateLimitStore> {
  const deleteEnded = deleteFirst(dialect, ended);
  const now = (): number => clock.now().getTime();
  return (sql) => ({
    check: (key, maxAttempts, windowMs) => check({ sql, now }, { key, maxAttempts, windowMs }),

    isFull: async (key, maxAttempts) => (await sql.read(selectFull, () => [key, now(), maxAttempts])).length > 0,

    ...(dialect.queriesMayWrite && { checkWithSession: (attempt) => checkWithSession({ sql, now }, attempt) }),

    async refund(key, maxAttempts, resetsAt) {
      const end = resetsAt.getTime();
      await sql.execute(subtractAttempt, () => [key, maxAttempts, end, now()]);
    },

    prune: ({ limit }) => sql.execute(deleteEnded, () => [now(), limit]),
  });
}

/** Where attempts are counted, and the time there in milliseconds. */
interface Counting {
  readonly sql: SqlExecutor;
  readonly now: () => number;
}

async function check(counting: Counting, attempt: RateLimitAttempt): Promise<RateLimitResult> {
  const [row] = await counting.sql.write(countAttempt, () => toValues(counting, attempt));
  return toResult(counting, attempt, row);
}

async function checkWithSession(
  counting: Counting,
  { sessionId, tokenHash, keys, ...limit }: SessionAttempt,
): Promise<CheckedSession> {
  const values = (): readonly SqlValue[] => toValues(counting, { ...limit, key: keys.known });
  const rows = await counting.sql.write(findAndCount, () => [...values(), sessionId, tokenHash, keys.unknown]);
  const found = toSessionWithUser(rows);
  const key = isKnownToken(found, tokenHash) ? keys.known : keys.unknown;
  const counted = rows.find((row) => row['count'] !== null);
  return { result: await toResult(counting, { ...limit, key }, counted), found };
}

function toValues({ now }: Counting, { key, maxAttempts, windowMs }: RateLimitAttempt): readonly SqlValue[] {
  const start = now();
  return [key, start, start + windowMs, maxAttempts];
}

/** Reads the row of a counted attempt; without one, the attempt was refused again. */
async function toResult(
  { sql, now }: Counting,
  { key, maxAttempts }: RateLimitAttempt,
  row: SqlRow | undefined,
): Promise<RateLimitResult> {
  if (!row) {
    const [window] = await sql.read(selectReset, [key]);
    // Without a window, it had expired and was pruned meanwhile.
    return refusedAgain(window ?? { resets_at: now() });
  }
  const count = integer(row['count']);
  return {
    allowed: count <= maxAttempts,
    isFirstRefusal: count === maxAttempts + 1,
    remaining: Math.max(0, maxAttempts - count),
    resetsAt: moment(row['resets_at']),
  };
}

function refusedAgain(row: SqlRow): RateLimitResult {
  return { allowed: false, isFirstRefusal: false, remaining: 0, resetsAt: moment(row['resets_at']) };
}
