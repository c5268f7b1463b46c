import { type EntityTable, systemClock } from '@x/store';
import { patient } from '@x/store-testing';
import { createPostgresDatabase } from '@x/test-support/database';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { createPostgresStores } from './create-postgres-stores.ts';

const items: EntityTable = {
  name: 'items',
  columns: [
    { name: 'cost', type: 'decimal', nullable: false, decimal: { precision: 15, scale: 2 } },
    { name: 'weight', type: 'number', nullable: false },
    { name: 'isDone', type: 'boolean', nullable: false },
    { name: 'title', type: 'text', nullable: false },
    { name: 'detail', type: 'json', nullable: false },
  ],
  indexes: [],
};

const row = { cost: '1234567890123.45', weight: 0.1, isDone: false, title: 'Pears', detail: { a: [1, 'b'] } };

it('parses rows of the stores alike under parsers of the app, which its own statements get', async () => {
  const database = await createPostgresDatabase();
  onTestFinished(() => database.drop());
  const { BOOL, INT8, INT4, FLOAT8, JSON: json, NUMERIC, TEXT } = pg.types.builtins;
  overrideParsers([BOOL, INT8, INT4, FLOAT8, json, NUMERIC, TEXT], (text) => `app: ${text}`);
  const stores = createPostgresStores({
    ...{ url: database.url, entities: [items], clock: systemClock, patience: patient },
    migrations: [
      {
        id: 'own',
        async up(sql) {
          expect(await sql`SELECT 1.50 AS cost`).toEqual([{ cost: 'app: 1.50' }]);
        },
      },
    ],
  });
  await stores.migrate();
  const id = crypto.randomUUID();
  expect((await stores.entities.create('items', { id, ...row })).row).toEqual({ id, ...row });
  const order = [{ column: 'id', direction: 'asc' }] as const;
  const page = await stores.entities.list('items', {
    where: { type: 'and', operands: [] },
    order,
    after: null,
    limit: 9,
  });
  expect(page.records).toEqual([{ row: { id, ...row }, version: 1 }]);
  expect(await stores.counters.add('steps', 2)).toBe(2);
  const own = await stores.transaction(({ sql }) => sql`SELECT 1.50 AS cost, TRUE AS is_done`);
  expect(own).toEqual([{ cost: 'app: 1.50', is_done: 'app: t' }]);
  await stores.close();
});

/** Sets other parsers of pg until the end of the test. */
function overrideParsers(types: readonly number[], parser: (text: string) => unknown): void {
  for (const type of types) {
    const before = pg.types.getTypeParser(type);
    pg.types.setTypeParser(type, parser);
    onTestFinished(() => pg.types.setTypeParser(type, before));
  }
}
