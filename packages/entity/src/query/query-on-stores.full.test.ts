import { CodedError } from '@x/errors';
import type { EntityRow, Stores } from '@x/store';
import { all } from '@x/store/where';
import { createMemoryStores } from '@x/store-memory';
import { createPostgresStores } from '@x/store-postgres';
import { createSqliteStores } from '@x/store-sqlite';
import { patient } from '@x/store-testing';
import { createPostgresDatabase, type PostgresDatabase } from '@x/test-support/database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import type { Model } from '../model/model.ts';
import { createCreateParser, toNewRecord } from '../model/record-input.ts';
import { toEntityTables } from '../model/to-entity-tables.ts';
import { hostileTexts } from '../testing/hostile-inputs.ts';
import { toListCursor } from './list-cursor.ts';
import { type ParsedListQuery, parseListQuery } from './parse-list-query.ts';

const notes: Model = defineModel('notes', {
  fields: {
    title: field.text(),
    label: field.text({ nullable: true, unique: true }),
    points: field.integer({ nullable: true }),
    weight: field.number({ nullable: true }),
    done: field.boolean({ default: false }),
    dueAt: field.timestamp({ nullable: true }),
    kind: field.enum(['a', 'b'], { nullable: true }),
    detail: field.json({ nullable: true }),
    internalNote: field.text({ default: 'secret', hidden: true }),
  },
  indexes: [['title']],
});

/** All of them, or one in six and those of ours at the end. */
const texts = hostileTexts.filter(
  (_, index) => process.env['DEEP'] || index % 6 === 0 || index > hostileTexts.length - 25,
);

const terms = { model: notes, findRelated: () => undefined };
const parseCreate = createCreateParser(notes);
const clock = { now: () => new Date('2026-01-01T00:00:00.000Z') };

let database: PostgresDatabase;
let engines: readonly Stores[];

beforeAll(async () => {
  database = await createPostgresDatabase();
  const entities = toEntityTables([notes]);
  engines = [
    createMemoryStores({ clock, entities }),
    createSqliteStores({ patience: patient, path: ':memory:', clock, entities }),
    createPostgresStores({ patience: patient, url: database.url, clock, entities }),
  ];
  for (const stores of engines) await stores.migrate();
  const rows = hostileTexts
    .slice(0, 60)
    .flatMap((text, index) => toRow({ title: text, points: index % 4, detail: { [text]: text, a: text } }, index));
  for (const stores of engines) for (const row of rows) await stores.entities.create('notes', row);
});

afterAll(async () => {
  await Promise.all(engines.map((stores) => stores.close()));
  await database.drop();
});

/** Makes the row of an input, or none where it is refused. */
function toRow(input: unknown, index: number): readonly EntityRow[] {
  const parsed = orRefused(() => parseCreate(input));
  if (!parsed) return [];
  const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const context = { caller: { userId: null, tenantId: null }, now: clock.now(), randomUuid: () => id };
  return [toNewRecord(notes, parsed, context)];
}

/** Any other error than a refusal is thrown on. */
function orRefused<Outcome>(call: () => Outcome): Outcome | null {
  try {
    return call();
  } catch (error) {
    if (error instanceof CodedError && error.status === 400) return null;
    throw error;
  }
}

async function listEverywhere(query: ParsedListQuery): Promise<readonly unknown[]> {
  return Promise.all(engines.map(({ entities }) => entities.list('notes', query)));
}

it('stores or refuses every hostile text in a record, the same on every engine', async () => {
  const inputs = texts.flatMap((text, index) => [
    { title: text, points: index },
    { title: 'x', label: text },
    { title: 'x', detail: { [text]: text } },
    { title: 'x', kind: text, dueAt: text, weight: text },
  ]);
  const rows = inputs.flatMap((input, index) => toRow(input, 100_000 + index));
  expect(rows.length).toBeGreaterThan(250);
  for (const row of rows) {
    const outcomes = await Promise.all(
      engines.map(({ entities }) =>
        entities.create('notes', row).catch((error: unknown) => {
          if (error instanceof CodedError) return error.code;
          throw error;
        }),
      ),
    );
    for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
    await Promise.all(engines.map(({ entities }) => entities.delete('notes', row.id, { where: all })));
  }
});

it('treats every hostile text in a query the same on every engine', async () => {
  const queries = texts.flatMap((text) =>
    [
      { where: { title: text } },
      { where: { title: { ne: text } }, orderBy: 'title:desc' },
      { where: { title: { gt: text } }, orderBy: 'title' },
      { where: { title: { contains: text } } },
      { where: { title: { startsWith: text } } },
      { where: { NOT: { title: { endsWith: text } } } },
      { where: { title: { icontains: text } } },
      { where: { NOT: { title: { istartsWith: text } } } },
      { where: { title: { in: [text, 'x'] } } },
      { where: { points: text } },
      { where: { [`detail.${text}`]: text } },
      { where: { NOT: { [`detail.a.${text}.0`]: { gte: text } } } },
      { where: { 'detail.a': { istartsWith: text } } },
      { where: { weight: { gte: text } } },
    ].flatMap((query) => orRefused(() => parseListQuery(terms, { ...query, limit: 100 })) ?? []),
  );
  expect(queries.length).toBeGreaterThan(700);
  const differing: ParsedListQuery[] = [];
  for (const query of queries) {
    const [memory, ...others] = await listEverywhere(query);
    if (others.some((other) => JSON.stringify(other) !== JSON.stringify(memory))) differing.push(query);
  }
  expect(differing).toEqual([]);
});

it('pages through a list by cursors, the same on every engine', async () => {
  const orderBy = ['points:desc', 'title'];
  const walks = engines.map(async ({ entities }) => {
    const ids: string[] = [];
    for (let after: string | undefined; ;) {
      const query = parseListQuery(terms, { orderBy, limit: 7, after });
      const page = await entities.list('notes', query);
      ids.push(...page.records.map(({ row }) => row.id));
      const last = page.records.at(-1);
      if (!last || !page.hasMore) return ids;
      after = toListCursor(query.order, last.row);
    }
  });
  const [memory, ...others] = await Promise.all(walks);
  expect(new Set(memory).size).toBe(memory?.length);
  expect(memory?.length).toBeGreaterThan(50);
  for (const other of others) expect(other).toEqual(memory);
});
