import pg from 'pg';

/** Adds so many tenants to a Postgres, each on plan pro with one project, its manager, and something consumed. */
export async function fillWallets(url: string, tenants: number): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query("SET synchronous_commit = 'off'");
  for (const insert of inserts) await client.query(insert, [tenants - 1]);
  await client.query('VACUUM ANALYZE');
  await client.query('CHECKPOINT');
  await client.end();
}

const inserts: readonly string[] = [
  `INSERT INTO access_role_assignments (user_id, resource_type, resource_id, role)
    SELECT 'user-' || n, 'project', 'project-' || n, 'manager' FROM generate_series(0, $1::int) AS n`,
  `INSERT INTO access_subscriptions (tenant_id, plan_group, plan_name, started_at)
    SELECT 'tenant-' || n, 'base', 'pro', 0 FROM generate_series(0, $1::int) AS n`,
  `INSERT INTO access_wallets (tenant_id, limit_name, period_start, consumed)
    SELECT 'tenant-' || n, 'exports', 0, 1 FROM generate_series(0, $1::int) AS n`,
];
