import { describe, expect, it } from 'vitest';
import { allEngines } from '../../support/databases.ts';
import { createShelves, type Shelves } from '../../support/shelves.ts';
import type { TestClient, TestResponse } from '../../support/test-client.ts';

const emoji = '\u{1F600}';

describe.each(allEngines)('the size of a page on %s', (engine) => {
  it('is 1 MiB of JSON, after which a cursor continues with the next record', async () => {
    const shelves = await createShelves(engine);
    const ids = await addShelves(shelves, 60, { title: emoji.repeat(10_000) });
    const pages = await readPages(shelves.client, 'limit=100');
    expect(pages.flat().map(({ id }) => id)).toEqual(ids);
    for (const page of pages) expect(sizeOf(page)).toBeLessThanOrEqual(2 ** 20);
    expect(pages.map(({ length }) => length)).toEqual([26, 26, 8]);
  });

  it('is exact: records that fill it are one page, and a byte more makes it two', async () => {
    const shelves = await createShelves(engine, 4096);
    const ids = await addShelves(shelves, 3);
    const [page = []] = await readPages(shelves.client, 'limit=3');
    const title = 'a'.repeat(4096 - sizeOf(page));
    expect(await retitle(shelves, ids[1], title)).toBe(200);
    expect((await readPages(shelves.client, 'limit=3')).map(({ length }) => length)).toEqual([3]);
    expect(await retitle(shelves, ids[1], `${title}a`)).toBe(200);
    expect((await readPages(shelves.client, 'limit=3')).map(({ length }) => length)).toEqual([2, 1]);
  });

  it('counts the size of a text as JSON: in bytes, with its escapes', async () => {
    for (const title of [
      '"'.repeat(1000),
      '\u0001'.repeat(330),
      'é'.repeat(1000),
      '\\'.repeat(1000),
      '\n'.repeat(1000),
    ]) {
      const shelves = await createShelves(engine, 4096);
      const ids = await addShelves(shelves, 4, { title });
      const pages = await readPages(shelves.client, 'limit=100');
      expect(pages.flat().map(({ id }) => id)).toEqual(ids);
      for (const page of pages) expect(sizeOf(page)).toBeLessThanOrEqual(4096);
      expect(pages.length).toBeGreaterThan(1);
    }
  });

  it('is never less than one record', async () => {
    const shelves = await createShelves(engine, 1024);
    const ids = await addShelves(shelves, 3, { title: emoji.repeat(10_000) });
    const pages = await readPages(shelves.client, 'limit=100');
    expect(pages.map((page) => page.map(({ id }) => id))).toEqual(ids.map((id) => [id]));
    expect((await shelves.client.get(`/api/shelves/${ids[0]}`)).status).toBe(200);
  });

  it('counts the fields that are selected, not the others', async () => {
    const shelves = await createShelves(engine, 4096);
    const ids = await addShelves(shelves, 5, { title: 'a'.repeat(900) });
    const pages = await readPages(shelves.client, 'limit=100&select=id');
    expect(pages.flat()).toEqual(ids.map((id) => ({ id })));
    expect(await readPages(shelves.client, 'limit=100')).toHaveLength(2);
  });

  it('counts included records, each time that they are included', async () => {
    const shelves = await createShelves(engine, 4096);
    const shelfIds = await addShelves(shelves, 3);
    for (const id of shelfIds) await addBoxes(shelves, id, 3, { content: 'a'.repeat(400) });
    const withBoxes = await readPages(shelves.client, 'limit=100&include=boxes');
    expect(withBoxes.map(({ length }) => length)).toEqual([2, 1]);
    for (const page of withBoxes) expect(sizeOf(page)).toBeLessThanOrEqual(4096);
    expect(withBoxes.flat().map(({ boxes }) => (boxes as readonly unknown[]).length)).toEqual([3, 3, 3]);

    const largeId = await shelves.addShelf({ title: 'a'.repeat(2500) });
    await addBoxes(shelves, largeId, 3);
    const withShelf = await readPages(shelves.client, `where[shelfId]=${largeId}&include=shelf`, 'boxes');
    expect(withShelf.map(({ length }) => length)).toEqual([1, 1, 1]);
  });

  it('refuses a record that exceeds it by its included records, in a list and alone', async () => {
    const shelves = await createShelves(engine, 4096);
    const [first, second] = await addShelves(shelves, 2);
    await addBoxes(shelves, second ?? '', 10, { content: 'a'.repeat(400) });
    const list = await shelves.client.get('/api/shelves?include=boxes');
    expect(list.body.items.map((item) => item['id'])).toEqual([first]);
    const after = encodeURIComponent(list.body.nextCursor ?? '');
    expectTooExpensive(await shelves.client.get(`/api/shelves?include=boxes&after=${after}`));
    expectTooExpensive(await shelves.client.get(`/api/shelves/${second}?include=boxes`));
    expect((await shelves.client.get(`/api/shelves?after=${after}`)).body.items).toHaveLength(1);
    expect((await shelves.client.get(`/api/boxes?where[shelfId]=${second}`)).status).toBe(200);
  });

  it('refuses a record that exceeds it by records that are included through another', async () => {
    const shelves = await createShelves(engine, 4096);
    const id = await shelves.addShelf({ title: 'a'.repeat(300) });
    const [boxId] = await addBoxes(shelves, id, 12, { content: 'a'.repeat(200) });
    expectTooExpensive(await shelves.client.get('/api/boxes?include=shelf.boxes'));
    expectTooExpensive(await shelves.client.get(`/api/boxes/${boxId}?include=shelf.boxes`));
    expect((await shelves.client.get(`/api/boxes/${boxId}?include=shelf`)).status).toBe(200);
  });

  it('tells nothing about the length of a hidden field', async () => {
    const pagesWith = async (note: string): Promise<readonly unknown[]> => {
      const shelves = await createShelves(engine, 4096);
      const ids = await addShelves(shelves, 20, { title: 'a'.repeat(300), note });
      for (const id of ids) await addBoxes(shelves, id, 2, { content: 'a'.repeat(100), note });
      const queries = ['limit=100', 'limit=100&include=boxes', 'limit=7', 'limit=100&select=id'];
      return Promise.all(
        queries.map(async (each) => (await readPages(shelves.client, each)).map(({ length }) => length)),
      );
    };
    expect(await pagesWith('a'.repeat(9000))).toEqual(await pagesWith(''));
  });
});

type Row = Readonly<Record<string, unknown>>;

async function addShelves({ addShelf }: Shelves, count: number, values?: Row): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await addShelf(values as Record<string, string>));
  return ids;
}

async function addBoxes({ addBox }: Shelves, shelfId: string, count: number, values?: Row): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await addBox(shelfId, values as Record<string, string>));
  return ids;
}

async function retitle({ client }: Shelves, id: string | undefined, title: string): Promise<number> {
  return (await client.send(`/api/shelves/${id}`, { method: 'PATCH', body: { title } })).status;
}

/** Reads all pages of a list. */
async function readPages(client: TestClient, query: string, entity = 'shelves'): Promise<readonly (readonly Row[])[]> {
  const pages: (readonly Row[])[] = [];
  for (let after = ''; ;) {
    const { status, body, text } = await client.get(`/api/${entity}?${query}${after}`);
    expect([status, status === 200 ? '' : text]).toEqual([200, '']);
    pages.push(body.items);
    expect(body).toMatchObject({ hasNextPage: body.nextCursor !== null });
    if (body.nextCursor === null) return pages;
    after = `&after=${encodeURIComponent(body.nextCursor)}`;
  }
}

/** The bytes of the records of a page, without what joins them. */
function sizeOf(page: readonly Row[]): number {
  return page.reduce((sum, row) => sum + Buffer.byteLength(JSON.stringify(row)), 0);
}

function expectTooExpensive({ status, body }: TestResponse): void {
  expect([status, body.error.code]).toEqual([400, 'QUERY_TOO_EXPENSIVE']);
}
