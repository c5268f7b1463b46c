import { compileWhere, Parameters, type SqlColumn, type SqlValue } from '@x/store-sql';
import { describeConditions, ManualClock } from '@x/store/testing';

import { createTestDatabase } from '../../../tooling/postgres/test-database.ts';
import { createPostgresDriver } from './create-postgres-driver.ts';

describeConditions(
  'Postgres',
  async (columns) => {
    const database = await createTestDatabase();
    const driver = createPostgresDriver({
      url: database.url,
      clock: new ManualClock(),
      maxConnections: 1,
      migrations: [],
    });
    const { dialect } = driver;
    const declared = columns.map(({ name, type }) => `"${name}" ${dialect.columnTypes[type]}`);
    await driver.execute(`CREATE TABLE sample (${declared.join(', ')})`, []);
    const targets = new Map(columns.map(({ name, type }): [string, SqlColumn] => [name, { sql: `"${name}"`, type }]));
    return {
      async select(where) {
        const parameters = new Parameters();
        const condition = compileWhere(where, { columns: targets, dialect, bind: parameters.bind });
        const rows = await driver.read(`SELECT id FROM sample WHERE ${condition}`, parameters.values);
        return rows.map((row) => String(row['id']));
      },
      async replace(rows) {
        await driver.execute('DELETE FROM sample', []);
        const parameters = new Parameters();
        const tuples = rows.map((row) => columns.map(({ name }) => parameters.bind(toSqlValue(row[name]))).join(', '));
        await driver.execute(`INSERT INTO sample VALUES (${tuples.join('), (')})`, parameters.values);
      },
      async drop() {
        await driver.close();
        await database.drop();
      },
    };
  },
  { tables: process.env['DEEP'] ? 400 : 60 },
);

function toSqlValue(cell: unknown): SqlValue {
  return cell instanceof Date ? cell.getTime() : (cell as SqlValue);
}
