import { queryTooExpensive } from '@x/store';
import { cutRows, type QueryOptions, type QueryResult, type SqlRow } from '@x/store-sql';

/** How many rows are read at a time. A usual page takes one round trip. */
const [firstRows, moreRows] = [32, 128];

/** Says whether the rows may have so much more text than the bound that the result is read in parts. */
export function isLargePage({ maxRows, maxCharacters = Infinity }: QueryOptions): boolean {
  return maxRows > firstRows && maxCharacters !== Infinity;
}

/** A query, and how long its result may take. */
interface LargePage {
  readonly text: string;
  readonly options: QueryOptions;
  /** When no further part is started, on the clock of `performance`. Each part has a limit of its own on the server. */
  readonly endsAt: number;
}

/**
 * Reads a large page in a transaction, up to its bound. It uses a cursor of SQL, because pg-cursor does not work on a
 * pipelined connection.
 *
 * @throws CodedError `QUERY_TOO_EXPENSIVE` if there are parts left when its time is over
 * @param declare - sends a text with the values of the query
 * @param fetch - sends a text without values
 */
export async function readLargePage(
  { text, options, endsAt }: LargePage,
  declare: (text: string) => Promise<unknown>,
  fetch: (text: string) => Promise<{ readonly rows: readonly SqlRow[] }>,
): Promise<QueryResult> {
  await declare(`DECLARE page NO SCROLL CURSOR FOR ${text}`);
  const rows: SqlRow[] = [];
  for (let count = firstRows; ; count = moreRows) {
    if (performance.now() > endsAt) throw queryTooExpensive();
    const more = (await fetch(`FETCH ${count} FROM page`)).rows;
    rows.push(...more);
    const page = cutRows(rows, options);
    if (!page.isCut && more.length === count) continue;
    await fetch('CLOSE page');
    return page;
  }
}
