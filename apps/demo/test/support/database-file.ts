import { DatabaseSync } from 'node:sqlite';

/** Answers queries on the database file of a demo, past all of its code. */
export function query(path: string, sql: string): readonly Readonly<Record<string, unknown>>[] {
  const database = new DatabaseSync(path);
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

/** Returns the one number that a query asks for. */
export function count(path: string, sql: string): number {
  const [row = {}] = query(path, sql);
  return Number(Object.values(row)[0]);
}
