import { checked, type ClientResult, type RequestOptions } from './send.ts';

/** Selects a page of a list. */
export interface PageOptions {
  readonly limit?: number;
  /** The `nextCursor` of the previous page. */
  readonly after?: string | null;
}

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/**
 * Iterates over the pages of a list; each is requested when the loop asks for it. A failure is the last value; to
 * continue after one, pass the last `nextCursor` as `after`.
 *
 * @example
 * ```ts
 * for await (const page of pages(client.auth.events, { limit: 50 })) {
 *   if (!page.ok) break;
 *   for (const event of page.data.items) console.log(event.type);
 * }
 * ```
 */
export async function* pages<Item, Query extends PageOptions>(
  list: (query: Query, options?: Pick<RequestOptions, 'signal'>) => Promise<ClientResult<Page<Item>>>,
  query: Query,
  options?: Pick<RequestOptions, 'signal'>,
): AsyncGenerator<ClientResult<Page<Item>>, void, void> {
  let after: string | null | false | undefined;
  do {
    const page = checked(await list(after ? { ...query, after } : query, options), (body) => body?.items);
    yield page;
    after = page.ok && page.data.nextCursor;
  } while (after);
}
