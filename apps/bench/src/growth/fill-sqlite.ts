import Database from 'better-sqlite3';

/** Adds to the demo's file what `fillDatabase` says. */
export function fillSqlite(file: string, rows: number): void {
  const database = new Database(file);
  for (const pragma of fastPragmas) database.pragma(pragma);
  const now = Date.now();
  const indexes = database.prepare<[], { name: string; sql: string }>(selectIndexes).all();
  database.transaction(() => {
    // Built from all rows at once they take a fraction of the time.
    for (const { name } of indexes) database.exec(`DROP INDEX "${name}"`);
    for (const insert of inserts) database.prepare(insert).run({ rows, now, later: now + 86_400_000 });
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

const secret = "lower(hex(randomblob(21))) || 'x'";

const inserts: readonly string[] = [
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
       user_agent, ver, created_at, last_active_at, expires_at)
    SELECT id, user_id, id || '.' || ${secret}, id || '.' || ${secret}, ${secret}, 1, :now, '192.0.2.1',
      'Mozilla/5.0 (X11; Linux x86_64)', 0, :now, :now, :later
    FROM fillers`,
  `${series}
    INSERT INTO auth_rate_limits (key, count, resets_at)
    SELECT 'filler:' || hex(randomblob(12)), 1, :later FROM series`,
  `INSERT INTO app_notes (id, _version, owner_id, title, body, pinned, created_at, updated_at)
    SELECT ${uuid}, 1, id, 'Groceries', 'Tea, bread, apples.', 0, :now, :now
    FROM auth_users WHERE login_email LIKE 'filler-%' LIMIT :rows`,
];
