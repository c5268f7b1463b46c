import type { EntityRow, EntityStore, EntityValue, SortKey } from '@x/store';
import { all, eq, ne, none, type Where } from '@x/store/where';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { StoreTest } from '../store-test.ts';
import { isDecimalOfTask, sampleTask } from './sample-entities.ts';

/** Describes orders by columns of the rows that others refer to. */
export function describeRelatedOrders(it: StoreTest): void {
  it('visit each row once in the order of those that they refer to, which are null if they are not readable', async ({
    stores: { entities },
    rounds,
  }) => {
    const visits = fc.asyncProperty(
      fc.array(cells, { maxLength: 14 }),
      fc.array(orders, { minLength: 3, maxLength: 3 }),
      async (given, asked) => {
        const rows = await replaceTasks(entities, given);
        for (const order of asked) {
          const expected = rows.toSorted((a, b) => compareNaively(order, rows, a, b));
          for (const limit of [1, 3, 50]) {
            const { ids, keys } = await walk(entities, order, limit);
            expect(ids, `${JSON.stringify(order)} in pages of ${limit}`).toEqual(expected.map(({ id }) => id));
            expect(keys).toEqual(expected.map((row) => order.map((key) => valueOf(key, rows, row))));
          }
        }
      },
    );
    await fc.assert(visits, { numRuns: 3 * rounds, endOnFailure: true });
  });

  it('are refused through what is no reference to the entity', async ({ stores: { entities } }) => {
    const through = { column: 'projectId', entity: 'projects', readable: all };
    const mistakes: readonly SortKey[] = [
      { column: 'nothing', direction: 'asc', through },
      { column: 'name', direction: 'asc', through: { ...through, column: 'nextId' } },
      { column: 'rank', direction: 'asc', through: { ...through, entity: 'tasks' } },
      { column: 'detail', direction: 'asc', through: { ...through, column: 'nextId', entity: 'tasks' } },
    ];
    for (const key of mistakes) {
      const listing = { where: all, order: [key, byId], after: null, limit: 1 };
      await expect(entities.list('tasks', listing), JSON.stringify(key)).rejects.toThrow(TypeError);
    }
  });
}

const byId: SortKey = { column: 'id', direction: 'asc' };

const projects = ['p0', 'p1', 'p2'];

const cells = fc.record({
  project: fc.option(fc.nat({ max: projects.length - 1 }), { freq: 4 }),
  /** The place of the task before it that it refers to, from the end. */
  next: fc.option(fc.nat({ max: 3 }), { freq: 3 }),
  ownerId: fc.constantFrom('ada', 'eve'),
  title: fc.option(fc.constantFrom('a', 'A', '\uE000', '😀'), { freq: 3 }),
  cost: fc.option(fc.constantFrom('9.00', '10.00', '-9.00'), { freq: 3 }),
  dueAt: fc.boolean(),
  rank: fc.integer({ min: 0, max: 1 }),
});

type Cells = typeof cells extends fc.Arbitrary<infer Value> ? Value : never;

const direction = fc.constantFrom('asc' as const, 'desc' as const);

const orders: fc.Arbitrary<readonly SortKey[]> = fc
  .tuple(
    fc.oneof(
      fc.record({
        column: fc.constantFrom('title', 'cost', 'dueAt', 'rank', 'id', 'isDone'),
        direction,
        through: fc.record({
          column: fc.constant('nextId'),
          entity: fc.constant('tasks'),
          readable: fc.constantFrom<Where[]>(all, none, eq('ownerId', 'ada'), ne('title', 'a')),
        }),
      }),
      fc.record({
        column: fc.constantFrom('name', 'id'),
        direction,
        through: fc.record({
          column: fc.constant('projectId'),
          entity: fc.constant('projects'),
          readable: fc.constantFrom<Where[]>(all, ne('name', 'b')),
        }),
      }),
    ),
    fc.option(fc.record({ column: fc.constantFrom('rank', 'title', 'cost'), direction })),
    direction,
  )
  .map(([first, second, last]) => [first, ...(second ? [second] : []), { column: 'id', direction: last }]);

async function replaceTasks(entities: EntityStore, given: readonly Cells[]): Promise<readonly EntityRow[]> {
  await entities.deleteAll('tasks', all);
  await entities.deleteAll('projects', all);
  for (const [index, id] of projects.entries()) await entities.create('projects', { id, name: 'bab'[index] ?? '' });
  const rows: EntityRow[] = [];
  for (const [index, { project, next, dueAt, ...rest }] of given.entries()) {
    const projectId = project === null ? null : (projects[project] ?? null);
    const nextId = next === null ? null : (rows.at(-1 - next)?.id ?? null);
    const row = sampleTask({ ...rest, projectId, nextId, dueAt: dueAt ? new Date(index) : null });
    await entities.create('tasks', row);
    rows.push(row);
  }
  return rows;
}

async function walk(
  entities: EntityStore,
  order: readonly SortKey[],
  limit: number,
): Promise<{ readonly ids: readonly string[]; readonly keys: readonly (readonly EntityValue[])[] }> {
  const ids: string[] = [];
  const keys: (readonly EntityValue[])[] = [];
  for (let hasMore = true; hasMore;) {
    const last = keys.at(-1)?.map((cell) => (cell instanceof Date ? cell.getTime() : (cell as string | number | null)));
    const page = await entities.list('tasks', { where: all, order, after: last ?? null, limit });
    ids.push(...page.records.map(({ row }) => row.id));
    keys.push(...(page.keys ?? []));
    hasMore = page.hasMore;
  }
  return { ids, keys };
}

const names: Readonly<Record<string, string>> = { p0: 'b', p1: 'a', p2: 'b' };

function valueOf({ column, through }: SortKey, rows: readonly EntityRow[], row: EntityRow): EntityValue {
  if (!through) return row[column] ?? null;
  const id = row[through.column];
  if (typeof id !== 'string') return null;
  const { readable } = through;
  const other = through.entity === 'projects' ? { id, name: names[id] ?? '' } : rows.find((each) => each.id === id);
  return other && isReadable(readable, other) ? (other[column] ?? null) : null;
}

function isReadable(readable: Where, row: EntityRow): boolean {
  if (readable.type === 'constant') return readable.value;
  if (readable.type !== 'compare') throw new TypeError('There is no such condition here.');
  const cell = row[readable.column] ?? null;
  return cell !== null && (cell === readable.value) === (readable.operator === 'eq');
}

function compareNaively(order: readonly SortKey[], rows: readonly EntityRow[], a: EntityRow, b: EntityRow): number {
  for (const key of order) {
    const [one, other] = [rankOf(key, valueOf(key, rows, a)), rankOf(key, valueOf(key, rows, b))];
    if (one === other) continue;
    const isLess = other === null || (one !== null && one < other);
    return isLess === (key.direction === 'asc') ? -1 : 1;
  }
  return 0;
}

/** Converts a value to one that JavaScript orders as the stores do: texts by code point. */
function rankOf({ column }: SortKey, value: EntityValue): number | string | null {
  if (value === null) return null;
  if (typeof value !== 'string' || isDecimalOfTask(column)) return Number(value);
  return Array.from(value, (character) => (character.codePointAt(0) ?? 0).toString(16).padStart(6, '0')).join('');
}
