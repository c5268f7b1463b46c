import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allEngines } from '../../support/databases.ts';
import { createShelves, type Shelves } from '../../support/shelves.ts';

const maxBytes = 2048;

/** Lengths of texts: mostly some to a page, sometimes several pages each. */
const length = fc.oneof({ arbitrary: fc.nat(500), weight: 6 }, fc.constantFrom(0, maxBytes, 3 * maxBytes));

/** Shelves with boxes, whose texts have these lengths, and the queries for them. */
const world = fc.record({
  character: fc.constantFrom('a', 'é', '"', '\u{1F600}'),
  shelves: fc.array(fc.record({ title: length, note: length, boxes: fc.array(fc.nat(200), { maxLength: 4 }) }), {
    maxLength: 12,
  }),
  limit: fc.integer({ min: 1, max: 8 }),
  orderBy: fc.constantFrom('id', 'id:desc', 'title', 'title:desc,id', 'createdAt:desc'),
  include: fc.boolean(),
});

type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

type Row = Readonly<Record<string, unknown>>;

const numRuns = process.env['DEEP'] ? 150 : 10;

describe.each(allEngines)('a walk through all pages on %s', (engine) => {
  it('visits each record once, in pages that are as large as they may be', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        const shelves = await createShelves(engine, maxBytes);
        const records = toOrder(await fill(shelves, given), given.orderBy);
        expect(await walk(shelves, given)).toEqual(cutIntoPages(records, given));
      }),
      { numRuns },
    );
  }, 300_000);
});

/** Stores the shelves and their boxes, and returns the records as the list has to show them. */
async function fill(
  { client, addShelf, addBox }: Shelves,
  { shelves, character, include }: World,
): Promise<readonly Row[]> {
  const records: Row[] = [];
  for (const { title, note, boxes } of shelves) {
    const id = await addShelf({ title: character.repeat(title), note: character.repeat(note) });
    const related: Row[] = [];
    for (const content of boxes) {
      const boxId = await addBox(id, { content: character.repeat(content) });
      related.push((await client.get(`/api/boxes/${boxId}`)).body as unknown as Row);
    }
    const shelf = (await client.get(`/api/shelves/${id}`)).body as unknown as Row;
    records.push(include ? { ...shelf, boxes: related } : shelf);
  }
  return records;
}

/** Records are stored in the order of their ids, all at the same moment. */
function toOrder(records: readonly Row[], orderBy: string): readonly Row[] {
  if (orderBy === 'id') return records;
  if (orderBy === 'id:desc' || orderBy === 'createdAt:desc') return records.toReversed();
  const lengthOf = ({ title }: Row): number => String(title).length;
  // All titles repeat one character.
  if (orderBy === 'title') return records.toSorted((a, b) => lengthOf(a) - lengthOf(b));
  return records.toSorted((a, b) => lengthOf(b) - lengthOf(a));
}

/**
 * Cuts a list into pages as the contract says it: a page ends at the limit, or before the record that it has no room
 * for. A record that exceeds it by what it includes ends the walk.
 */
function cutIntoPages(records: readonly Row[], { limit, include }: World): readonly unknown[] {
  const pages: unknown[] = [];
  for (let start = 0; start < records.length || start === 0;) {
    let end = start;
    for (let bytes = 0; end < Math.min(records.length, start + limit); end += 1) {
      bytes += Buffer.byteLength(JSON.stringify(records[end]));
      if (bytes > maxBytes && (end > start || include)) break;
      if (bytes > maxBytes) {
        end += 1;
        break;
      }
    }
    if (end === start && records.length > 0) return [...pages, 'QUERY_TOO_EXPENSIVE'];
    pages.push(records.slice(start, end));
    if (records.length === 0) return pages;
    start = end;
  }
  return pages;
}

/** Reads page after page; the last is the code of an error where there is one. */
async function walk({ client }: Shelves, { limit, orderBy, include }: World): Promise<readonly unknown[]> {
  const pages: unknown[] = [];
  const query = `limit=${limit}&orderBy=${orderBy}${include ? '&include=boxes' : ''}`;
  for (let after = ''; ;) {
    const { status, body } = await client.get(`/api/shelves?${query}${after}`);
    if (status !== 200) return [...pages, body.error.code];
    pages.push(body.items);
    if (body.nextCursor === null) return pages;
    after = `&after=${encodeURIComponent(body.nextCursor)}`;
  }
}
