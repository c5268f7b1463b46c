import pg from 'pg';

/** Adds to the demo's database what `fillDatabase` says, as a superuser, and leaves nothing of it to be done later. */
export async function fillPostgres(url: string, rows: number): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  const now = Date.now();
  for (const setting of fastSettings) await client.query(`SET ${setting}`);
  for (const insert of inserts) await client.query(insert, [rows, now]);
  await client.query('VACUUM ANALYZE');
  await client.query('CHECKPOINT');
  await client.end();
}

const dayMs = 86_400_000;

/** Nothing here has to survive a power cut, nor break a foreign key. */
const fastSettings = ["synchronous_commit = 'off'", "session_replication_role = 'replica'", "work_mem = '256MB'"];

const secret = "md5(random()::text) || 'filler-eleven'";

// In the order of their ids: an index that grows at its end alone is filled in a fraction of the time.
const inserts: readonly string[] = [
  `INSERT INTO auth_users (id, email, login_email, email_verified, role, fields, created_at, updated_at)
    SELECT id, email, email, true, 'user', '{}', $2::bigint, $2::bigint
    FROM (
      SELECT id::text, 'filler-' || id || '@bench.example' AS email
      FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, $1::int)) ids ORDER BY id
    ) fillers`,
  `INSERT INTO auth_sessions
      (id, user_id, refresh_token_hash, previous_token_hash, refresh_salt, generation, rotated_at, ip_address,
       user_agent, ver, created_at, last_active_at, expires_at)
    SELECT id, user_id, id || '.' || ${secret}, id || '.' || ${secret}, ${secret}, 1, $2::bigint, '192.0.2.1',
      'Mozilla/5.0 (X11; Linux x86_64)', 0, $2::bigint, $2::bigint, $2::bigint + ${dayMs}
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
