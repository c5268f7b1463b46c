import { compileWhere, Parameters, type SqlColumn, type SqlValue } from '@x/store-sql';
import { describeConditions, ManualClock } from '@x/store/testing';

import { createSqliteDriver } from './create-sqlite-driver.ts';

describeConditions(
  'SQLite',
  async (columns) => {
    const driver = createSqliteDriver({
      path: ':memory:',
      clock: new ManualClock(),
      synchronous: 'FULL',
      migrations: [],
    });
    const { dialect } = driver;
    const declared = columns.map(({ name, type }) => `"${name}" ${dialect.columnTypes[type]}`);
    await driver.execute(`CREATE TABLE sample (${declared.join(', ')}) STRICT`, []);
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
        for (const row of rows) {
          const parameters = new Parameters();
          const tuple = columns.map(({ name }) => parameters.bind(toSqlValue(row[name])));
          await driver.execute(`INSERT INTO sample VALUES (${tuple.join(', ')})`, parameters.values);
        }
      },
      drop: () => driver.close(),
    };
  },
  { tables: process.env['DEEP'] ? 1000 : 120 },
);

function toSqlValue(cell: unknown): SqlValue {
  return cell instanceof Date ? cell.getTime() : (cell as SqlValue);
}
