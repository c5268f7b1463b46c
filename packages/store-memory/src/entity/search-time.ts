import { queryTooExpensive } from '@x/store';

/** Passes the rows on that a search visits, until its time is over. */
export type Visit = <Row>(rows: Iterable<Row>) => Iterable<Row>;

/** After how many rows the time is looked at: that takes longer than to visit one. */
const rowsAtOnce = 1000;

/**
 * Limits the time of a search, however many parts it has. It holds the event loop meanwhile, so nothing else could.
 *
 * @param limitMs - milliseconds
 * @throws CodedError `QUERY_TOO_EXPENSIVE` from what it returns, when the time is over
 */
export function limitSearch(limitMs: number): Visit {
  const endsAt = performance.now() + limitMs;
  let count = 0;
  return function* visit(rows) {
    for (const row of rows) {
      count += 1;
      if (count % rowsAtOnce === 0 && performance.now() >= endsAt) throw queryTooExpensive();
      yield row;
    }
  };
}
