import { type Rule, type RuleCaller, rules } from '@x/access';
import type { EntityRow, EntityValues, JsonValue } from '@x/store';
import fc from 'fast-check';
import { defineEntity } from '../definition/define-entity.ts';
import type { Entity } from '../definition/entity.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import { belongsTo, hasMany, type Model } from '../model/model.ts';
import { anyCaller, anyRow, anyRule, type RuleRow } from './any-rule.ts';
import { naiveFieldAllows, naivelySatisfies, type NaiveFieldRule } from './naive-decision.ts';

const now = new Date('2026-01-01T00:00:00.000Z');

/** The fields that generated rules are about. */
const judged = {
  ownerId: field.text({ nullable: true }),
  tenantId: field.text({ nullable: true }),
  shared: field.boolean({ nullable: true }),
  level: field.integer({ nullable: true }),
};

const shelfModel = defineModel('shelves', {
  fields: {
    ...judged,
    name: field.text({ nullable: true }),
    budget: field.integer({ nullable: true }),
    meta: field.json({ nullable: true }),
    code: field.text({ default: 'c', hidden: true }),
  },
  relations: { books: hasMany('books', 'shelfId') },
});

const bookModel = defineModel('books', {
  fields: {
    ...judged,
    title: field.text(),
    slug: field.text({ unique: true }),
    shelfId: field.uuid({ references: 'shelves', nullable: true }),
    price: field.decimal(6, 2, { nullable: true }),
    meta: field.json({ nullable: true }),
    notes: field.json({ nullable: true }),
    stamp: field.text({ serverValue: () => 'a' }),
    code: field.text({ default: 'c', hidden: true }),
  },
  relations: {
    shelf: belongsTo('shelfId'),
    labels: hasMany('labels', { through: 'book-labels' }),
    joins: hasMany('book-labels', 'bookId'),
  },
});

const labelModel = defineModel('labels', {
  fields: { ...judged, name: field.text({ nullable: true }) },
  relations: { books: hasMany('books', { through: 'book-labels' }) },
});

const joinModel = defineModel('book-labels', {
  fields: {
    ...judged,
    bookId: field.uuid({ references: 'books', onDelete: 'cascade' }),
    labelId: field.uuid({ references: 'labels' }),
  },
  relations: { book: belongsTo('bookId'), label: belongsTo('labelId') },
});

/** The models: books on shelves, with labels that a fourth entity joins with them. */
export const libraryModels: readonly Model[] = [shelfModel, bookModel, labelModel, joinModel];

/** The name of an entity. */
export type LibraryName = 'shelves' | 'books' | 'labels' | 'book-labels';

/** The names of the entities, each after those that it refers to. */
export const libraryNames: readonly LibraryName[] = ['shelves', 'books', 'labels', 'book-labels'];

/** The fields that some callers may not read, on every record or on some. */
const secrets: Readonly<Record<LibraryName, readonly string[]>> = {
  shelves: ['budget'],
  books: ['shelfId', 'price', 'notes', 'stamp'],
  labels: [],
  'book-labels': ['labelId'],
};

/** A caller, the rules, and two databases that differ in what the caller may not read by them. */
export interface LibraryPair {
  readonly caller: RuleCaller;
  readonly reading: Readonly<Record<LibraryName, Rule>>;
  readonly writing: Rule;
  /** The rule of reading the secret fields. */
  readonly seeing: NaiveFieldRule;
  /** The rule of writing them. */
  readonly choosing: NaiveFieldRule;
  /** The rows of two databases; those that the caller may read are the same in both. */
  readonly ours: LibraryRows;
  readonly others: LibraryRows;
}

/** The rows of a database. */
export type LibraryRows = Readonly<Record<LibraryName, readonly EntityRow[]>>;

/** Builds the entities with some rules. */
export function libraryOf({ reading, writing, seeing, choosing }: LibraryPair): readonly Entity[] {
  const read = { read: seeing ?? rules.public };
  const guard = { ...read, ...(choosing !== null && { write: choosing }) };
  const accessOf = (name: LibraryName) => ({ list: reading[name], get: reading[name] });
  const closed = { create: false, update: false, delete: false } as const;
  return [
    defineEntity({ model: shelfModel, access: { ...accessOf('shelves'), ...closed, fields: { budget: read } } }),
    defineEntity({
      model: bookModel,
      access: {
        ...accessOf('books'),
        ...{ create: writing, update: writing, delete: writing, bulk: rules.public, export: rules.public },
        fields: { price: guard, notes: guard, shelfId: guard, stamp: read },
      },
    }),
    defineEntity({ model: labelModel, access: { ...accessOf('labels'), ...closed } }),
    defineEntity({ model: joinModel, access: { ...accessOf('book-labels'), ...closed, fields: { labelId: read } } }),
  ];
}

/** How many rows of an entity both databases have. */
export const shared = 4;

/** How many more each of them may have, if the caller can't read them. */
export const own = 2;

const idOf = (name: LibraryName, at: number): string =>
  `00000000-0000-4000-8000-${libraryNames.indexOf(name)}${String(at).padStart(11, '0')}`;
const idsOf = (name: LibraryName): readonly string[] => Array.from({ length: shared + own }, (_, at) => idOf(name, at));
const idOfShared = (name: LibraryName): fc.Arbitrary<string> => fc.constantFrom(...idsOf(name).slice(0, shared));

/** Any id of a row that one of the databases may have. */
export const anyId = (name: LibraryName): fc.Arbitrary<string> => fc.constantFrom(...idsOf(name));

/** Any value of a field of JSON. */
export const anyJson: fc.Arbitrary<JsonValue> = fc.constantFrom(
  { a: 1, b: ['x'] },
  { a: 'x', b: [2, 'y'] },
  { a: true },
  ['x', { a: 2 }],
  null,
);

/** Any price. */
export const anyPrice: fc.Arbitrary<string | null> = fc.constantFrom('1.00', '2.50', '-3.00', null);

const anyText = fc.constantFrom('a', 'b', 'ab', null);

const anyCells: Readonly<Record<LibraryName, fc.Arbitrary<EntityValues>>> = {
  shelves: fc.record({
    name: anyText,
    budget: fc.constantFrom(0, 1, 2, null),
    meta: anyJson,
    code: fc.constantFrom('c', 'd'),
  }),
  books: fc.record({
    title: fc.constantFrom('a', 'b', 'ab'),
    shelfId: fc.option(idOfShared('shelves'), { freq: 4 }),
    price: anyPrice,
    meta: anyJson,
    notes: anyJson,
    stamp: fc.constantFrom('a', 'b'),
    code: fc.constantFrom('c', 'd'),
  }),
  labels: fc.record({ name: anyText }),
  'book-labels': fc.record({ bookId: idOfShared('books'), labelId: idOfShared('labels') }),
};

/** Candidates for the rows of one database. */
const anyRows: fc.Arbitrary<LibraryRows> = fc.record(
  Object.fromEntries(libraryNames.map((name) => [name, rowsOf(name)])) as {
    [Each in LibraryName]: fc.Arbitrary<readonly EntityRow[]>;
  },
);

function rowsOf(name: LibraryName): fc.Arbitrary<readonly EntityRow[]> {
  const size = { minLength: shared + own, maxLength: shared + own };
  const moments = { createdAt: now, updatedAt: now };
  return fc
    .array(fc.tuple(anyRow, anyCells[name]), size)
    .map((rows) => rows.map(([row, cells], at) => ({ id: idOf(name, at), ...row, ...cells, ...moments })));
}

/** Keys of rows that the caller may not read are others: that one of them is taken shows, as it always does. */
export const slugOf = (at: number, isReadable: boolean): string => `${isReadable ? 'shown' : 'hidden'}-${at}`;

const openRule = fc.oneof({ weight: 1, arbitrary: fc.constant(rules.public) }, { weight: 2, arbitrary: anyRule });
const fieldRule = fc.oneof({ weight: 1, arbitrary: fc.constant(false as const) }, { weight: 3, arbitrary: anyRule });

/** Any rules, and any two databases of which the caller may read the same by them. */
export const anyLibraryPair: fc.Arbitrary<LibraryPair> = fc
  .record({
    caller: anyCaller(now),
    reading: fc.record({ shelves: openRule, books: openRule, labels: openRule, 'book-labels': openRule }),
    writing: openRule,
    seeing: fc.oneof(fc.constant(null), fieldRule),
    choosing: fc.oneof(fc.constant(null), fieldRule),
    ours: anyRows,
    others: anyRows,
  })
  .map((pair) => ({ ...pair, ...toPair(pair) }));

/** Makes two databases of which the caller may read the same. */
function toPair(given: LibraryPair): Pick<LibraryPair, 'ours' | 'others'> {
  const entries = libraryNames.map((name) => {
    const pairs = given.ours[name].map((mine, at) => toPairOfRows(given, name, [mine, given.others[name][at] ?? mine]));
    return [name, pairs] as const;
  });
  const pick = (side: 0 | 1): LibraryRows =>
    Object.fromEntries(
      entries.map(([name, pairs]) => [name, pairs.flatMap((pair) => pair[side] ?? [])]),
    ) as unknown as LibraryRows;
  return { ours: pick(0), others: pick(1) };
}

type Pair = readonly [EntityRow | null, EntityRow | null];

/** What the caller may read of the first row is the same in both; the rest is that of either candidate. */
function toPairOfRows(
  { caller, reading, seeing }: LibraryPair,
  name: LibraryName,
  [mine, other]: readonly [EntityRow, EntityRow],
): Pair {
  const isReadable = (row: EntityRow): boolean =>
    naivelySatisfies({ caller, now, rule: reading[name] }, toRuleRow(row));
  const at = idsOf(name).indexOf(mine.id);
  const withSlug = (row: EntityRow): EntityRow =>
    name === 'books' ? { ...row, slug: slugOf(at, isReadable(row)) } : row;
  const isShared = at < shared;
  if (!isShared) return [isReadable(mine) ? null : withSlug(mine), isReadable(other) ? null : withSlug(other)];
  if (!isReadable(mine)) return [withSlug(mine), withSlug(isReadable(other) ? mine : other)];
  const isShown = naiveFieldAllows({ caller, now }, seeing, toRuleRow(mine));
  const unseen = [...(isShown ? [] : secrets[name]), ...('code' in mine ? ['code'] : [])];
  const hidden = Object.fromEntries(unseen.map((each) => [each, other[each] ?? null]));
  return [withSlug(mine), withSlug({ ...mine, ...hidden })];
}

function toRuleRow(row: EntityRow): RuleRow {
  return row as unknown as RuleRow;
}
