import { isKnownToken, type RateLimitAttempt, type RateLimitResult, type RateLimitStore } from '@x/store';

import { integer, moment } from '../columns.ts';
import type { OnScope, SqlDialect, SqlRow, SqlScope, SqlValue, SqlStoreDependencies } from '../sql-driver.ts';
import { sessionWithUserColumns, sessionWithUserTables, toSessionWithUser } from './session-columns.ts';

/**
 * One row lock orders all attempts on a key. An expired window starts again at 1; the first refused attempt raises the
 * count to one above the allowed number. Later ones change nothing and return nothing, so a flood of them causes no
 * durable writes.
 */
const toCountAttempt = (key: string): string => `
  INSERT INTO auth_rate_limits (key, count, resets_at) VALUES (${key}, 1, $3)
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

const countAttempt = toCountAttempt('$1');

/**
 * Both in one statement, which reads the session as it was when the statement started. What changes the session while
 * the statement waits for another attempt with the same key counts as coming after this one.
 */
const findAndCount = `
  WITH found AS (SELECT ${sessionWithUserColumns} FROM ${sessionWithUserTables} WHERE s.id = $5),
  attempt AS (${toCountAttempt(`
    CASE WHEN EXISTS (SELECT 1 FROM found WHERE $6 IN (s_refresh_token_hash, s_previous_token_hash)) THEN $1 ELSE $7 END
  `)})
  SELECT attempt.count, attempt.resets_at, found.*
  FROM (SELECT 1) AS always LEFT JOIN attempt ON TRUE LEFT JOIN found ON TRUE`;

const selectReset = 'SELECT resets_at FROM auth_rate_limits WHERE key = $1';

// The attempt above the limit was refused, so it can't be taken back.
const subtractAttempt = `
  UPDATE auth_rate_limits SET count = CASE WHEN count > $2 THEN $2 ELSE count END - 1
  WHERE key = $1 AND resets_at = $3 AND resets_at > $4 AND count > 0`;

// A separate `WITH`, because inside `IN`, Postgres may run a locking `LIMIT` more than once.
const toDeleteEnded = ({ lockFreeRows }: SqlDialect): string => `
  WITH ended AS (
    SELECT key FROM auth_rate_limits WHERE resets_at <= $1 ORDER BY resets_at LIMIT $2 ${lockFreeRows}
  )
  DELETE FROM auth_rate_limits WHERE key IN (SELECT key FROM ended)`;

/** Builds the rate-limit store of every scope. */
export function createSqlRateLimits({ dialect, clock }: SqlStoreDependencies): OnScope<RateLimitStore> {
  const deleteEnded = toDeleteEnded(dialect);
  const milliseconds = (): number => clock.now().getTime();
  const toValues = ({ key, maxAttempts, windowMs }: RateLimitAttempt): readonly SqlValue[] => {
    const now = milliseconds();
    return [key, now, now + windowMs, maxAttempts];
  };
  const refuseAgain = async (sql: SqlScope, key: string): Promise<RateLimitResult> => {
    const [row] = await sql.read(selectReset, [key]);
    // Without a row, the window had expired and was pruned meanwhile.
    const resetsAt = row ? moment(row['resets_at']) : clock.now();
    return { allowed: false, isFirstRefusal: false, remaining: 0, resetsAt };
  };
  const checkWithSession =
    (sql: SqlScope): NonNullable<RateLimitStore['checkWithSession']> =>
    async ({ sessionId, tokenHash, keys, ...limit }) => {
      const attempt = { ...limit, key: keys.known };
      const rows = await sql.write(findAndCount, () => [...toValues(attempt), sessionId, tokenHash, keys.unknown]);
      const found = toSessionWithUser(rows);
      const [row] = rows;
      if (row !== undefined && row['count'] !== null) return { result: toResult(row, limit.maxAttempts), found };
      const key = isKnownToken(found, tokenHash) ? keys.known : keys.unknown;
      return { result: await refuseAgain(sql, key), found };
    };
  return (sql) => ({
    async check(key, maxAttempts, windowMs) {
      const [row] = await sql.write(countAttempt, () => toValues({ key, maxAttempts, windowMs }));
      return row ? toResult(row, maxAttempts) : refuseAgain(sql, key);
    },

    ...(dialect.queriesMayWrite && { checkWithSession: checkWithSession(sql) }),

    async refund(key, maxAttempts, resetsAt) {
      const end = resetsAt.getTime();
      await sql.execute(subtractAttempt, () => [key, maxAttempts, end, milliseconds()]);
    },

    prune: ({ limit }) => sql.execute(deleteEnded, () => [milliseconds(), limit]),
  });
}

function toResult(row: SqlRow, maxAttempts: number): RateLimitResult {
  const count = integer(row['count']);
  return {
    allowed: count <= maxAttempts,
    isFirstRefusal: count === maxAttempts + 1,
    remaining: Math.max(0, maxAttempts - count),
    resetsAt: moment(row['resets_at']),
  };
}
