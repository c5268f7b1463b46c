import { queryTooExpensive } from '@x/store';
import { cutRows, type QueryOptions, type QueryResult, type SqlRow, type SqlValue } from '@x/store-sql';

/** How many rows are read at a time. A usual page takes one round trip. */
const [firstRows, moreRows] = [32, 128];

/** Says whether the rows may have so much more text than the bound that the result is read in parts. */
export function isLargePage({ maxRows, maxCharacters = Infinity }: QueryOptions): boolean {
  return maxRows > firstRows && maxCharacters !== Infinity;
}

/** A query, and how long its result may take; each part has a limit of its own on the server. */
interface LargePage {
  readonly text: string;
  readonly values: readonly SqlValue[];
  readonly statementMs: number;
}

/**
 * Reads a large page in a transaction, up to its bound. It uses a cursor of SQL, because pg-cursor does not work on a
 * pipelined connection.
 *
 * @throws CodedError `QUERY_TOO_EXPENSIVE` if there are parts left when its time is over
 * @param send - sends a text and its values
 */
export async function readLargePage(
  { text, values, statementMs }: LargePage,
  options: QueryOptions,
  send: (text: string, values?: readonly SqlValue[]) => Promise<{ readonly rows: readonly SqlRow[] }>,
): Promise<QueryResult> {
  const endsAt = performance.now() + statementMs;
  await send(`DECLARE page NO SCROLL CURSOR FOR ${text}`, values);
  const rows: SqlRow[] = [];
  for (let count = firstRows; ; count = moreRows) {
    if (performance.now() > endsAt) throw queryTooExpensive();
    const more = (await send(`FETCH ${count} FROM page`)).rows;
    rows.push(...more);
    const page = cutRows(rows, options);
    if (!page.isCut && more.length === count) continue;
    await send('CLOSE page');
    return page;
  }
}
