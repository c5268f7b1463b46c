import Database from 'better-sqlite3';
import pg from 'pg';
import { evaluateThroughput, type Outcome } from '../comparison/outcome.ts';
import { runRounds, type Side } from '../comparison/rounds.ts';
import type { DatabaseKind } from '../servers/create-databases.ts';
import type { RunningServer } from '../servers/start-server.ts';
import { withPair } from '../servers/with-pair.ts';
import { listNotesOf } from './notes.ts';
import { refreshSessionsOf } from './refresh.ts';
import { type Row, rowName } from './row.ts';
import { listSessionsOf } from './session-list.ts';

const rowCounts = { floor: 1000, ours: 1_000_000 } as const;

/** 1.5 times as slow is the most. */
const atLeast = 1 / 1.5;

/** The loads that must not slow down. */
const works: readonly (readonly [string, (server: RunningServer) => Promise<Side>])[] = [
  ['refresh', refreshSessionsOf],
  ['session-list', listSessionsOf],
  ['notes', listNotesOf],
];

/**
 * The demo with a million users, sessions, notes and limits, against the same demo with a thousand: here that is the
 * floor.
 */
export function growthRow(database: DatabaseKind): Row {
  const name = rowName('growth', database);
  return {
    name,
    run: (settings) => {
      const scripts = { floor: settings.demo, ours: settings.demo };
      return withPair({ ...scripts, algorithm: 'ES256', database, cores: settings.cores }, async (floor, ours) => {
        await fillDatabase(floor.databaseUrl, rowCounts.floor);
        await fillDatabase(ours.databaseUrl, rowCounts.ours);
        const outcomes: Outcome[] = [];
        for (const [work, sideOf] of works) {
          const sides = { floor: await sideOf(floor), ours: await sideOf(ours) };
          outcomes.push(evaluateThroughput({ row: `${name}: ${work}`, atLeast }, await runRounds(sides, settings)));
        }
        return outcomes;
      });
    },
  };
}

/**
 * Adds so many users, a session and a note of each, and so many rate limits to the demo's database. Random ids, as in
 * life.
 */
async function fillDatabase(url: string, rows: number): Promise<void> {
  if (url.startsWith('file:')) fillSqlite(url.slice('file:'.length), rows);
  else await fillPostgres(url, rows);
}

/** Adds to the demo's file what `fillDatabase` says. */
function fillSqlite(file: string, rows: number): void {
  const database = new Database(file);
  for (const pragma of fastPragmas) database.pragma(pragma);
  const now = Date.now();
  const indexes = database.prepare<[], { name: string; sql: string }>(selectIndexes).all();
  database.transaction(() => {
    // Built from all rows at once they take a fraction of the time.
    for (const { name } of indexes) database.exec(`DROP INDEX "${name}"`);
    for (const insert of sqliteInserts) database.prepare(insert).run({ rows, now, later: now + 86_400_000 });
    for (const { sql } of indexes) database.exec(sql);
  })();
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
}

/** Those of the tables that are filled, but for the ones that keep a key unique. */
const selectIndexes = `
  SELECT name, sql FROM sqlite_master
  WHERE type = 'index' AND sql IS NOT NULL
    AND tbl_name IN ('auth_users', 'auth_sessions', 'auth_rate_limits', 'app_notes')`;

/** Nothing here has to survive a power cut. */
const fastPragmas = ['synchronous = OFF', 'foreign_keys = OFF', 'cache_size = -1000000', 'temp_store = MEMORY'];

const series = 'WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < :rows)';

const uuid = `printf('%s-%s-4%s-8%s-%s', lower(hex(randomblob(4))), lower(hex(randomblob(2))),
  substr(lower(hex(randomblob(2))), 2), substr(lower(hex(randomblob(2))), 2), lower(hex(randomblob(6))))`;

const sqliteSecret = "lower(hex(randomblob(21))) || 'x'";

const sqliteInserts: readonly string[] = [
  `${series}
    INSERT INTO auth_users (id, email, login_email, email_verified, role, fields, created_at, updated_at)
    SELECT ${uuid}, 'filler-' || n || '@bench.example', 'filler-' || n || '@bench.example', 1, 'user', '{}', :now, :now
    FROM series`,
  // Materialized, so that each id is made once: the hashes name it too.
  `WITH fillers (user_id, id) AS MATERIALIZED (
      SELECT id, ${uuid} FROM auth_users WHERE login_email LIKE 'filler-%' LIMIT :rows
    )
    INSERT INTO auth_sessions
      (id, user_id, refresh_token_hash, previous_token_hash, refresh_salt, generation, rotated_at, ip_address,
       user_agent, ver, created_at, last_active_at, expires_at,
       authenticated_at, authenticated_by)
    SELECT id, user_id, id || '.' || ${sqliteSecret}, id || '.' || ${sqliteSecret}, ${sqliteSecret}, 1, :now, '192.0.2.1',
      'Mozilla/5.0 (X11; Linux x86_64)', 0, :now, :now, :later, :now, 'password'
    FROM fillers`,
  `${series}
    INSERT INTO auth_rate_limits (key, count, resets_at)
    SELECT 'filler:' || hex(randomblob(12)), 1, :later FROM series`,
  `INSERT INTO app_notes (id, _version, owner_id, title, body, pinned, created_at, updated_at)
    SELECT ${uuid}, 1, id, 'Groceries', 'Tea, bread, apples.', 0, :now, :now
    FROM auth_users WHERE login_email LIKE 'filler-%' LIMIT :rows`,
];

/** Adds to the demo's database what `fillDatabase` says, as a superuser, and leaves nothing of it to be done later. */
async function fillPostgres(url: string, rows: number): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  const now = Date.now();
  for (const setting of fastSettings) await client.query(`SET ${setting}`);
  for (const insert of postgresInserts) await client.query(insert, [rows, now]);
  await client.query('VACUUM ANALYZE');
  await client.query('CHECKPOINT');
  await client.end();
}

const dayMs = 86_400_000;

/** Nothing here has to survive a power cut, nor break a foreign key. */
const fastSettings = ["synchronous_commit = 'off'", "session_replication_role = 'replica'", "work_mem = '256MB'"];

const postgresSecret = "md5(random()::text) || 'filler-eleven'";

// In the order of their ids: an index that grows at its end alone is filled in a fraction of the time.
const postgresInserts: readonly string[] = [
  `INSERT INTO auth_users (id, email, login_email, email_verified, role, fields, created_at, updated_at)
    SELECT id, email, email, true, 'user', '{}', $2::bigint, $2::bigint
    FROM (
      SELECT id::text, 'filler-' || id || '@bench.example' AS email
      FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, $1::int)) ids ORDER BY id
    ) fillers`,
  `INSERT INTO auth_sessions
      (id, user_id, refresh_token_hash, previous_token_hash, refresh_salt, generation, rotated_at, ip_address,
       user_agent, ver, created_at, last_active_at, expires_at,
       authenticated_at, authenticated_by)
    SELECT id, user_id, id || '.' || ${postgresSecret}, id || '.' || ${postgresSecret}, ${postgresSecret}, 1, $2::bigint, '192.0.2.1',
      'Mozilla/5.0 (X11; Linux x86_64)', 0, $2::bigint, $2::bigint, $2::bigint + ${dayMs},
      $2::bigint, 'password'
    FROM (
      SELECT gen_random_uuid()::text AS id, id AS user_id FROM auth_users
      WHERE login_email LIKE 'filler-%' ORDER BY 1 LIMIT $1::int
    ) fillers`,
  `INSERT INTO auth_rate_limits (key, count, resets_at)
    SELECT 'filler:' || id, 1, $2::bigint + ${dayMs}
    FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, $1::int) ORDER BY id) ids`,
  `INSERT INTO app_notes (id, _version, owner_id, title, body, pinned, created_at, updated_at)
    SELECT id, 1, owner_id, 'Groceries', 'Tea, bread, apples.', false, $2::bigint, $2::bigint
    FROM (
      SELECT gen_random_uuid()::text AS id, id AS owner_id FROM auth_users
      WHERE login_email LIKE 'filler-%' ORDER BY 1 LIMIT $1::int
    ) fillers`,
];
