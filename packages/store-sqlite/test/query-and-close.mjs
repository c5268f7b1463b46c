// Runs a long query on the database at argv[2], closes it, and says so.
import { createSqliteDriver } from '../src/create-sqlite-driver.ts';

const clock = { now: () => new Date() };
const queryLimits = { statementMs: 60_000 };
const driver = createSqliteDriver({ path: process.argv[2], clock, synchronous: 'FULL', migrations: [], queryLimits });
const countTo = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE is_in_time() AND i < $1)
  SELECT COUNT(*) AS count FROM n`;
const { rows } = await driver.query(countTo, [100_000], { comparisons: null, maxRows: 1 });
process.disconnect();
await driver.close();
process.stdout.write(`${String(rows[0].count)}\n`);
