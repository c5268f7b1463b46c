import type { EntityListing, EntityStore, NewEntityRow } from '@x/store';
import {
  and,
  atPath,
  contains,
  endsWith,
  eq,
  gt,
  gte,
  icontains,
  isIn,
  isNull,
  istartsWith,
  lt,
  ne,
  not,
  or,
  startsWith,
  type Where,
} from '@x/store/where';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import type { Model } from '../model/model.ts';
import { createLegacyShop } from '../testing/legacy-shop.ts';
import { type Engine, engines } from '../testing/open-engine.ts';

/** Columns as people declare them, for values of every type. */
const types: Readonly<Record<Exclude<Engine, 'memory'>, string>> = {
  postgres: `no BIGINT PRIMARY KEY, above BIGINT, name VARCHAR(40) COLLATE "und-x-icu" NOT NULL, state STATE,
    code UUID, count SMALLINT, weight NUMERIC, price NUMERIC(12, 2), done BOOLEAN NOT NULL, at TIMESTAMPTZ,
    placed TIMESTAMP(3), day DATE, rest JSONB`,
  sqlite: `no INTEGER PRIMARY KEY, above INTEGER, name VARCHAR(40) NOT NULL COLLATE NOCASE, state TEXT, code CHAR(36),
    count SMALLINT, weight NUMERIC, price DECIMAL(12, 2), done BOOLEAN NOT NULL, at DATETIME, placed DATETIME,
    day DATE, rest JSON`,
};

const toModel = (table: string): Model =>
  defineModel('things', {
    table,
    managed: false,
    id: field.integer(),
    columns: { id: 'no', aboveId: 'above', createdAt: null, updatedAt: null },
    fields: {
      aboveId: field.integer({ references: 'things', nullable: true }),
      name: field.text({ maxLength: 40 }),
      state: field.enum(['open', 'Shut', 'ajar'], { nullable: true }),
      code: field.uuid({ nullable: true }),
      count: field.integer({ nullable: true }),
      weight: field.number({ nullable: true }),
      price: field.decimal(12, 2, { nullable: true }),
      done: field.boolean(),
      at: field.timestamp({ nullable: true }),
      placed: field.timestamp({ nullable: true }),
      day: field.date({ nullable: true }),
      rest: field.json({ nullable: true }),
    },
  });

const moment = new Date('2026-01-31T10:00:00.123Z').getTime();

/** Few values of each column, so that rows share them, and their neighbours. */
const cells = {
  id: fc.integer({ min: -3, max: 120 }).map(String),
  aboveId: fc.constant(null),
  name: fc.constantFrom('a', 'B', 'b', 'ä', 'Z', 'z', '_', 'ß', '\u{1f600}', '', 'aB', 'Ba', '_a', 'Äb', 'zz'),
  state: fc.constantFrom('open', 'Shut', 'ajar', null),
  code: fc.constantFrom('3f2b6c1e-8d4a-4f7b-9c5d-2e1a0b9c8d7f', 'ff2b6c1e-8d4a-4f7b-9c5d-2e1a0b9c8d7f', null),
  count: fc.constantFrom(-2, 0, 9, 10, null),
  weight: fc.constantFrom(-0.5, 0, 1.25, 100, null),
  price: fc.constantFrom('-1.05', '0.00', '9.99', '10.00', '1234567890.12', null),
  done: fc.boolean(),
  at: fc.constantFrom(moment, moment + 1, moment - 86_400_000, -1).map((ms) => new Date(ms)),
  placed: fc.constantFrom(moment, moment + 1, 0, null).map((ms) => (ms === null ? null : new Date(ms))),
  day: fc.constantFrom('0001-01-01', '2026-01-31', '2026-02-01', null),
  rest: fc.constantFrom({ a: [1, null] }, { a: { 0: 'B' }, 0: true }, [true, 'a', 2], 'x', [], 7, null),
};

const comparable = Object.entries(cells).filter(([name]) => name !== 'rest' && name !== 'aboveId');

const comparison: fc.Arbitrary<Where> = fc.constantFrom(...comparable).chain(([column, arbitrary]) =>
  fc
    .tuple(arbitrary as fc.Arbitrary<unknown>, arbitrary as fc.Arbitrary<unknown>, fc.nat(5))
    .map(([a, b, kind]): Where => {
      const [one, other] = [a, b].map((value) => (value instanceof Date ? value.getTime() : value)) as [never, never];
      if (one === null || other === null) return isNull(column);
      const made = [eq(column, one), ne(column, one), lt(column, one), gte(column, one), gt(column, one)];
      return made[kind] ?? isIn(column, [one, other]);
    }),
);

const search: fc.Arbitrary<Where> = fc
  .tuple(
    fc.constantFrom(contains, startsWith, endsWith, icontains, istartsWith),
    fc.constantFrom('a', 'B', 'z', 'Ä', 'ss', ''),
  )
  .map(([operator, part]) => operator('name', part));

const inJson: fc.Arbitrary<Where> = fc
  .tuple(fc.constantFrom(['a'], ['0'], ['1'], ['a', '0'], ['a', '1'], ['b', '-1']), fc.nat(4))
  .map(([path, kind]): Where => {
    const made = [
      atPath('rest', { path, as: 'text' }, (value) => or(gte(value, 'a'), istartsWith(value, 'b'))),
      atPath('rest', { path, as: 'number' }, (value) => isIn(value, [1, 2.5])),
      atPath('rest', { path, as: 'boolean' }, (value) => ne(value, false)),
    ];
    return made[kind] ?? atPath('rest', { path, as: 'json' }, isNull);
  });

const condition: fc.Arbitrary<Where> = fc.oneof(
  comparison,
  inJson,
  inJson.map(not),
  comparison.map(not),
  search,
  search.map(not),
  fc.tuple(comparison, comparison).map(([a, b]) => and(a, b)),
  fc.tuple(comparison, comparison).map(([a, b]) => or(a, not(b))),
);

const order = fc
  .tuple(
    fc.constantFrom(...comparable.map(([name]) => name)),
    fc.constantFrom('asc', 'desc'),
    fc.constantFrom('asc', 'desc'),
  )
  .map(([column, direction, last]): EntityListing['order'] => [
    ...(column === 'id' ? [] : [{ column, direction: direction as 'asc' }]),
    { column: 'id', direction: last as 'asc' },
  ]);

async function open(engine: Engine, rows: readonly string[] = []): Promise<EntityStore> {
  const shop = await createLegacyShop(engine);
  if (engine === 'memory') return (await shop.open([toModel('things')])).entities;
  const prefix = engine === 'postgres' ? `${shop.schema}.` : '';
  if (engine === 'postgres') await shop.run(`CREATE TYPE ${prefix}"LegacyState" AS ENUM ('open', 'Shut', 'ajar')`);
  await shop.run(`CREATE TABLE ${prefix}things (${types[engine].replace('STATE', `${prefix}"LegacyState"`)})`);
  for (const row of rows) await shop.run(`INSERT INTO ${prefix}things (no, name, done, rest) VALUES ${row}`);
  return (await shop.open([toModel(`${prefix}things`)])).entities;
}

/** Walks a list by pages of seven rows. */
async function walk(store: EntityStore, where: Where, keys: EntityListing['order']): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let after: EntityListing['after'] = null; ;) {
    const page = await store.list('things', { where, order: keys, after, limit: 7 });
    ids.push(...page.records.map(({ row }) => row.id));
    const last = page.records.at(-1)?.row;
    if (!page.hasMore || !last || ids.length > 1000) return ids;
    after = keys.map(({ column }) => {
      const cell = last[column];
      return cell instanceof Date ? cell.getTime() : (cell as string | number | boolean | null);
    });
  }
}

it('answers every query on an existing table as the store in memory does', { timeout: 240_000 }, async () => {
  const [memory, ...others] = await Promise.all(engines.map((engine) => open(engine)));
  if (!memory) throw new TypeError('No stores were opened.');
  const stores = [memory, ...others];
  const rows = fc.sample(fc.record(cells), { numRuns: 160, seed: 7 });
  const unique = [...new Map(rows.map((row) => [row.id, row as NewEntityRow])).values()];
  for (const row of unique) {
    const records = await Promise.all(stores.map((store) => store.create('things', row)));
    for (const record of records) expect(record).toEqual(records[0]);
  }
  const differ = fc.asyncProperty(condition, order, async (where, keys) => {
    const [expected, ...found] = await Promise.all(stores.map((store) => walk(store, where, keys)));
    for (const ids of found) expect(ids).toEqual(expected);
    const counts = await Promise.all(stores.map((store) => store.count('things', where)));
    expect(counts).toEqual(counts.map(() => expected?.length));
  });
  await fc.assert(differ, { numRuns: process.env['DEEP'] ? 10_000 : 300 });
});

it.each(['sqlite', 'postgres'] as const)('compares numbers in JSON of %s that are none of doubles', async (engine) => {
  const numbers = ['1e400', '-1e400', '1e-400', '7', '"7"'];
  const things = await open(
    engine,
    numbers.map((number, no) => `(${no}, 'a', FALSE, '{"a":${number}}')`),
  );
  const select = (toWhere: (value: string) => Where): Promise<readonly string[]> =>
    walk(things, atPath('rest', { path: ['a'], as: 'number' }, toWhere), [{ column: 'id', direction: 'asc' }]);
  expect(await select((value) => gt(value, 1))).toEqual(['0', '3']);
  expect(await select((value) => lt(value, 1))).toEqual(['1', '2']);
  expect(await select((value) => eq(value, 0))).toEqual(['2']);
});
