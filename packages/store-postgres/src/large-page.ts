import { queryTooExpensive } from '@x/store';
import { cutRows, type QueryOptions, type QueryResult, type SqlRow } from '@x/store-sql';

/** How many rows are read at first, and then at a time: a usual page takes one round trip. */
const [firstRows, moreRows] = [32, 128];

/** Says whether so much more may be found than the bound of its texts that the result is read in parts. */
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
 * Reads a large page in a transaction, up to its bound. By a cursor of SQL, since those of pg-cursor can't be used on a
 * pipelined connection.
 *
 * @throws CodedError `QUERY_TOO_EXPENSIVE` if there are parts left then
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
