import fc from 'fast-check';
import { anyRow } from './any-rule.ts';
import { anyId, anyJson, anyPrice, libraryNames, type LibraryName, own, shared, slugOf } from './library.ts';

/** A request to the library. */
export interface LibraryRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

const anyOperator = (value: unknown): fc.Arbitrary<object> =>
  fc.constantFrom('eq', 'ne', 'gt', 'lte').map((operator) => ({ [operator]: value }));

const anyComparison: fc.Arbitrary<object> = fc.oneof(
  fc
    .constantFrom('meta.a', 'meta.b.0', 'meta.0', 'notes.a', 'notes.b.1', 'shelf.meta.a', 'shelf.meta.1.a')
    .chain((path) =>
      fc
        .oneof(
          fc.constantFrom(1, 'x', true).chain(anyOperator),
          fc.constantFrom({ isNull: true }, { isNull: false }, { in: ['x', 'y'] }, { notIn: [1] }, { icontains: 'X' }),
        )
        .map((filter) => ({ [path]: filter })),
    ),
  fc
    .constantFrom('title', 'shelf.name', 'stamp', 'shelf.code')
    .chain((path) =>
      fc
        .constantFrom(
          { ne: 'a' },
          { gte: 'ab' },
          { startsWith: 'a' },
          { icontains: 'B' },
          { in: ['a'] },
          { notIn: ['b'] },
        )
        .map((filter) => ({ [path]: filter })),
    ),
  fc.constantFrom('1.00', '0.00').chain((value) => anyOperator(value).map((filter) => ({ price: filter }))),
  fc.constantFrom(0, 1).chain((value) => anyOperator(value).map((filter) => ({ 'shelf.budget': filter }))),
  anyId('shelves').map((id) => ({ shelfId: id })),
  fc
    .constantFrom('price', 'shelfId', 'shelf.id', 'shelf.name', 'shelf.budget', 'shelf.meta.a', 'notes.a')
    .chain((path) => fc.boolean().map((isNull) => ({ [path]: { isNull } }))),
);

const anyFilter: fc.Arbitrary<object> = fc.letrec<{ filter: object }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 2 },
    { weight: 3, arbitrary: anyComparison },
    { weight: 1, arbitrary: tie('filter').map((filter) => ({ NOT: filter })) },
    { weight: 1, arbitrary: fc.tuple(tie('filter'), tie('filter')).map((OR) => ({ OR })) },
  ),
})).filter;

const anyOrder = fc.constantFrom(
  ...['title', 'price', 'shelfId:desc', 'stamp,title', 'meta.a'],
  ...['shelf.name', 'shelf.name:desc,title', 'shelf.budget', 'shelf.meta', 'shelf.createdAt:desc'],
);

const inclusions: Readonly<Record<LibraryName, readonly string[]>> = {
  books: ['shelf', 'labels', 'joins', 'joins.label', 'shelf.books', 'labels.books', 'labels,shelf'],
  shelves: ['books', 'books.labels', 'books.joins'],
  labels: ['books', 'books.shelf', 'books.labels'],
  'book-labels': ['label', 'book', 'book.shelf', 'label.books', 'book.labels'],
};

const list: fc.Arbitrary<LibraryRequest> = fc
  .record(
    {
      where: anyFilter,
      orderBy: anyOrder,
      include: fc.constantFrom(...inclusions.books),
      select: fc.constantFrom('id', 'title,price', 'notes,shelfId'),
      count: fc.boolean(),
      limit: fc.constantFrom(1, 2, 100),
    },
    { requiredKeys: [] },
  )
  .map((body) => ({ method: 'POST', path: '/books/query', body }));

const listOther: fc.Arbitrary<LibraryRequest> = fc
  .constantFrom<LibraryName>('shelves', 'labels', 'book-labels')
  .chain((name) =>
    fc
      .record({ include: fc.constantFrom(...inclusions[name]), limit: fc.constantFrom(2, 100), count: fc.boolean() })
      .map((body) => ({ method: 'POST', path: `/${name}/query`, body })),
  );

const get: fc.Arbitrary<LibraryRequest> = fc
  .constantFrom(...libraryNames)
  .chain((name) =>
    fc
      .tuple(anyId(name), fc.constantFrom('', ...inclusions[name].map((path) => `?include=${path}`)))
      .map(([id, include]) => ({ method: 'GET', path: `/${name}/${id}${include}` })),
  );

const anyMeasure = fc.constantFrom<object>(
  ...[{ count: true }, { count: 'price' }, { count: 'notes' }, { sum: 'price' }, { avg: 'price' }],
  ...[{ min: 'title' }, { max: 'shelfId' }, { max: 'price' }, { min: 'stamp' }, { max: 'code' }],
);

const aggregate: fc.Arbitrary<LibraryRequest> = fc
  .record(
    {
      where: anyFilter,
      groupBy: fc.subarray(['title', 'shelfId', 'price', 'ownerId'], { maxLength: 2 }),
      measures: fc.dictionary(fc.constantFrom('one', 'other'), anyMeasure, { minKeys: 1 }),
    },
    { requiredKeys: ['measures'] },
  )
  .map((body) => ({ method: 'POST', path: '/books/aggregate', body }));

const exported: fc.Arbitrary<LibraryRequest> = fc
  .constantFrom('', '?where[meta.a]=x', '?where[notes.a]=x', '?where[shelf.name]=a', '?where[price][gt]=1')
  .map((query) => ({ method: 'GET', path: `/books/export${query}` }));

/** What rules go by stays as it is: a record that the caller opens to themselves shows what was hidden before. */
const change: fc.Arbitrary<object> = fc
  .record({
    title: fc.constantFrom('a', 'c'),
    meta: anyJson,
    price: anyPrice,
    notes: anyJson,
    shelfId: fc.option(anyId('shelves')),
    stamp: fc.constantFrom('a', 'b'),
  })
  .chain((whole) => fc.subarray(Object.entries(whole), { minLength: 1, maxLength: 3 }))
  .map((entries) => Object.fromEntries(entries));

const write: fc.Arbitrary<LibraryRequest> = fc.oneof(
  fc.tuple(anyId('books'), change).map(([id, body]) => ({ method: 'PATCH', path: `/books/${id}`, body })),
  anyId('books').map((id) => ({ method: 'DELETE', path: `/books/${id}` })),
  fc
    .tuple(anyId('books'), anyId('books'), change)
    .map(([id, other, cells]) => bulk({ update: [{ id, ...cells }], delete: id === other ? [] : [other] })),
  fc.tuple(anyFilter, change).map(([where, set]) => bulk({ updateWhere: { where, set } })),
  anyFilter.map((where) => bulk({ deleteWhere: { where } })),
  fc
    .tuple(anyFilter, change, anyFilter)
    .map(([where, set, gone]) => bulk({ updateWhere: { where, set }, deleteWhere: { where: gone } })),
);

function bulk(body: object): LibraryRequest {
  return { method: 'POST', path: '/books/bulk', body };
}

/** These may create records, whose ids are random, so they come last. Only new ones get what rules go by. */
const upsert: fc.Arbitrary<LibraryRequest> = fc
  .tuple(fc.nat({ max: shared + own }), change, anyRow)
  .map(([at, cells, row]) => {
    const record = { title: 'a', ...cells, ...(at >= shared && row), slug: slugOf(at, true) };
    return { method: 'POST', path: '/books/upsert', body: { by: 'slug', record } };
  });

/** Sixteen requests of every kind. */
export const anyRequests: fc.Arbitrary<readonly LibraryRequest[]> = fc
  .tuple(
    fc.array(
      fc.oneof(
        { weight: 6, arbitrary: list },
        { weight: 2, arbitrary: listOther },
        { weight: 2, arbitrary: get },
        { weight: 3, arbitrary: aggregate },
        { weight: 1, arbitrary: exported },
        { weight: 3, arbitrary: write },
      ),
      { minLength: 13, maxLength: 13 },
    ),
    fc.array(upsert, { minLength: 3, maxLength: 3 }),
  )
  .map(([first, last]): readonly LibraryRequest[] => [...first, ...last]);
