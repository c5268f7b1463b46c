import type { CallOptions, ClientResult, Page } from '../index.ts';
import type { QuerySource } from './query-store.ts';

/** The pages of a list that were read so far. */
export interface Pages<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
  /** The number of records on all pages, if the query counts them. */
  readonly total: number | undefined;
  /** How many pages that is. */
  readonly count: number;
}

/** Requests the page after a cursor, or the first one. */
export type LoadPage<Item> = (
  after: string | null,
  options: CallOptions,
) => Promise<ClientResult<Page<Item> & { readonly total?: number }>>;

/** Reads a list page by page, and again as many pages as there are. */
export function toPageSource<Item>(load: LoadPage<Item>): QuerySource<Pages<Item>> {
  /** Adds pages until there are as many as wanted, or no more. */
  const read = async (from: Pages<Item>, wanted: number, options: CallOptions): Promise<ClientResult<Pages<Item>>> => {
    let data = from;
    while (data.nextCursor !== null && data.count < wanted) {
      const page = await load(data.nextCursor || null, options);
      if (!page.ok) return page;
      const { items, nextCursor, total = data.total } = page.data;
      data = { items: [...data.items, ...items], nextCursor, total, count: data.count + 1 };
    }
    return { ok: true, value: data, data };
  };
  return {
    load: (before, options, more) => read(nothing, before ? before.count + more : 1, options),
    extend: (data, options) => read(data, data.count + 1, options),
  };
}

/** The first page comes after an empty cursor. */
const nothing = { items: [], nextCursor: '', total: undefined, count: 0 } as const;
