import { createMigratedDatabase } from '@x/test-support/database';
import { onTestFinished } from 'vitest';
import pg from 'pg';

/** Creates a Postgres database without rows that does not outlive the test, and returns its URL. */
export async function createDatabase(): Promise<string> {
  const database = await createMigratedDatabase();
  onTestFinished(() => database.drop());
  return database.url;
}

/** Answers one query on a Postgres database, past all code of the demo. */
export async function query(
  url: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}

/** Returns the one number that a query asks for. */
export async function count(url: string, sql: string, values: readonly unknown[] = []): Promise<number> {
  const [row = {}] = await query(url, sql, values);
  return Number(Object.values(row)[0]);
}

/**
 * Counts the deadlocks of a database so far. It cuts all connections first, since each reports its own when it ends.
 */
export async function countDeadlocks(url: string): Promise<number> {
  await query(
    url,
    `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  return count(url, 'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()');
}
