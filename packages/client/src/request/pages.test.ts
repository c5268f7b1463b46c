import { expect, it } from 'vitest';
import { type ClientResult, failTo, succeed } from './send.ts';
import { type Page, type PageOptions, pages } from './pages.ts';

/** A list of seven numbers that fails at the given cursors, and the requests that it received. */
function listOfSeven(failingAt: readonly string[] = []) {
  const asked: PageOptions[] = [];
  const list = async (query: PageOptions): Promise<ClientResult<Page<number>>> => {
    asked.push(query);
    const { limit = 20, after } = query;
    if (failingAt.includes(String(after))) return failTo('NETWORK_FAILED');
    const start = Number(after ?? 0);
    const items = [0, 1, 2, 3, 4, 5, 6].slice(start, start + limit);
    return succeed({ items, nextCursor: start + limit < 7 ? String(start + limit) : null });
  };
  return { list, asked };
}

async function visit(visited: AsyncIterable<ClientResult<Page<number>>>): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  for await (const page of visited) seen.push(page.ok ? page.data.items : page.error.code);
  return seen;
}

it('visits every page once, with the same query', async () => {
  const { list, asked } = listOfSeven();
  expect(await visit(pages(list, { limit: 3 }))).toEqual([[0, 1, 2], [3, 4, 5], [6]]);
  expect(asked.map(({ limit }) => limit)).toEqual([3, 3, 3]);
  expect(await visit(pages(list, { limit: 5, after: '5' }))).toEqual([[5, 6]]);
});

it('ends with a failure', async () => {
  const { list, asked } = listOfSeven(['3']);
  expect(await visit(pages(list, { limit: 3 }))).toEqual([[0, 1, 2], 'NETWORK_FAILED']);
  expect(asked).toHaveLength(2);
});

it('ends with a failure where a response is no page', async () => {
  for (const body of [undefined, null, 'ok', {}, []]) {
    const list = async (): Promise<ClientResult<Page<number>>> => succeed(body as never);
    expect(await visit(pages(list, {}))).toEqual(['INVALID_RESPONSE']);
  }
});

it('requests no page beyond those that are read', async () => {
  const { list, asked } = listOfSeven();
  for await (const page of pages(list, { limit: 1 })) if (page.ok && page.data.items[0] === 1) break;
  expect(asked).toHaveLength(2);
});
