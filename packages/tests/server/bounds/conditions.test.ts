import { describe, expect, it } from 'vitest';
import { allEngines } from '../../support/databases.ts';
import { createShelves, type Shelves } from '../../support/shelves.ts';
import type { TestResponse } from '../../support/test-client.ts';

const emoji = '\u{1F600}';

/** Ways to have so many conditions in a query. */
const placements: Readonly<Record<string, (count: number) => object>> = {
  'operators of fields': (count) => ({
    title: Object.fromEntries(
      operators.slice(0, 10).map((name) => [name, name === 'in' || name === 'notIn' ? ['a'] : 'a']),
    ),
    AND: conditions(count - 10),
  }),
  'a list of AND': (count) => ({ AND: conditions(count) }),
  'a list of OR': (count) => ({ OR: conditions(count) }),
  'several lists': (count) => ({ OR: conditions(20), AND: [{ OR: conditions(count - 21) }], title: 'x' }),
  'negated lists': (count) => ({ NOT: { OR: conditions(20) }, AND: [{ NOT: { AND: conditions(count - 20) } }] }),
  'nested lists': (count) => ({
    AND: conditions(count - 3),
    OR: [{ AND: [{ OR: [...conditions(2), { NOT: { label: 'x' } }] }] }],
  }),
};

const operators = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'notIn', 'contains', 'startsWith', 'endsWith'];

function conditions(count: number): readonly object[] {
  return Array.from({ length: count }, (_, index) => ({ title: { ne: String(index) } }));
}

/** Filters that nest so deep, by their combinators. */
const nestings: Readonly<Record<string, (filter: object) => object>> = {
  AND: (filter) => ({ AND: [filter] }),
  OR: (filter) => ({ OR: [filter] }),
  NOT: (filter) => ({ NOT: filter }),
};

describe.each(allEngines)('the bounds of a filter on %s', (engine) => {
  it('are 50 conditions, wherever they stand', async () => {
    const shelves = await createShelves(engine);
    await shelves.addShelf({ title: 'y' });
    for (const [name, place] of Object.entries(placements)) {
      expect([name, outcomeOf(await query(shelves, place(50)))]).toEqual([name, 200]);
      expect([name, outcomeOf(await query(shelves, place(51)))]).toEqual([name, 'INVALID_QUERY']);
    }
  });

  it('are 50 conditions in a URL, too', async () => {
    const { client } = await createShelves(engine);
    const fields = ['title', 'id', 'label', 'createdAt', 'updatedAt'];
    const each = ['ne', 'gt', 'gte', 'lt', 'lte', 'eq', 'in', 'notIn', 'isNull'];
    const values: Readonly<Record<string, string>> = {
      title: 'a',
      label: 'a',
      id: crypto.randomUUID(),
      createdAt: '2026-01-01T00:00:00Z',
      updatedAt: '2026-01-01T00:00:00Z',
    };
    const all = [
      ...fields.flatMap((name) =>
        each.map((operator) => `where[${name}][${operator}]=${operator === 'isNull' ? 'false' : values[name]}`),
      ),
      ...['title', 'label'].flatMap((name) =>
        ['contains', 'startsWith', 'endsWith'].map((operator) => `where[${name}][${operator}]=a`),
      ),
    ];
    expect(all.length).toBeGreaterThanOrEqual(51);
    expect((await client.get(`/api/shelves?${all.slice(0, 50).join('&')}`)).status).toBe(200);
    expect(outcomeOf(await client.get(`/api/shelves?${all.slice(0, 51).join('&')}`))).toBe('INVALID_QUERY');
  });

  it.each(['contains', 'startsWith', 'endsWith'])('are 256 code points to %s', async (operator) => {
    const shelves = await createShelves(engine);
    for (const character of ['a', 'é', '\u{FFFD}', emoji]) {
      const longest = character.repeat(256);
      await shelves.addShelf({ title: longest });
      const found = await query(shelves, { title: { [operator]: longest } });
      expect(found.body.items.map(({ title }) => title)).toEqual([longest]);
      expect(outcomeOf(await query(shelves, { title: { [operator]: longest + character } }))).toBe('INVALID_QUERY');
      expect(outcomeOf(await query(shelves, { NOT: { title: { [operator]: `${longest}a` } } }))).toBe('INVALID_QUERY');
    }
    const mixed = 'a'.repeat(255) + emoji;
    expect(outcomeOf(await query(shelves, { title: { [operator]: mixed } }))).toBe(200);
    expect(outcomeOf(await query(shelves, { title: { [operator]: `${mixed}a` } }))).toBe('INVALID_QUERY');
  });

  it.each(Object.entries(nestings))('are eight levels of %s', async (_, nest) => {
    const shelves = await createShelves(engine);
    const id = await shelves.addShelf({ title: 'a' });
    const nested = (depth: number): object => Array.from({ length: depth }).reduce<object>(nest, { title: 'a' });
    const found = await query(shelves, nested(8));
    expect(found.body.items.map((item) => item['id'])).toEqual([id]);
    expect(outcomeOf(await query(shelves, nested(9)))).toBe('INVALID_QUERY');
    expect(outcomeOf(await query(shelves, { OR: [{ title: 'b' }, nested(7)] }))).toBe(200);
    expect(outcomeOf(await query(shelves, { OR: [{ title: 'b' }, nested(8)] }))).toBe('INVALID_QUERY');
  });

  it('finds rows with all of 50 conditions at their largest', async () => {
    const shelves = await createShelves(engine);
    const title = emoji.repeat(10_000);
    const id = await shelves.addShelf({ title });
    await shelves.addShelf({ title: `${emoji.repeat(9999)}a` });
    const absent = Array.from({ length: 49 }, (_, index) => emoji.repeat(255) + String.fromCodePoint(0x1f700 + index));
    const where = {
      AND: [
        { title: { endsWith: emoji.repeat(256) } },
        ...absent.map((text) => ({ NOT: { title: { contains: text } } })),
      ],
    };
    const { body } = await query(shelves, where);
    expect(body.items.map((item) => item['id'])).toEqual([id]);
  });

  it('refuses a query that is nested too deep for JSON', async () => {
    const { client } = await createShelves(engine);
    for (const depth of [32, 33, 1000, 40_000]) {
      const raw = `{"where":${'{"NOT":'.repeat(depth)}{}${'}'.repeat(depth)}}`;
      const { status } = await client.post('/api/shelves/query', undefined, { raw });
      expect([depth, status]).toEqual([depth, raw.length > 262_144 ? 413 : 400]);
    }
  });
});

function query({ client }: Shelves, where: object): Promise<TestResponse> {
  return client.post('/api/shelves/query', { where, limit: 100 });
}

/** The code of an error, or the status. */
function outcomeOf({ status, body }: TestResponse): string | number {
  return status === 400 ? body.error.code : status;
}
