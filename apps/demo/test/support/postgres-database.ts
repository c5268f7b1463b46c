import { onTestFinished } from 'vitest';
import pg from 'pg';
import { createTestDatabase } from '../../../../tooling/postgres/test-database.ts';

/** Creates an empty Postgres database that does not outlive the test, and returns its URL. */
export async function createDatabase(): Promise<string> {
  const database = await createTestDatabase();
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
