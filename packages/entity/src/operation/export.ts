import { all, type Where } from '@x/store/where';
import { authorizeOperation, openAuthorization } from '../authorization/open-authorization.ts';
import { boundsOf, openNextCall, type Call } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import { defaultOrder } from '../query/parse-list-query.ts';
import { parseWhere } from '../query/parse-where.ts';
import { refuseOthers } from '../query/query-terms.ts';
import { queryTerms } from '../record/caller-terms.ts';
import { restrictRelated } from '../record/restrict-related.ts';
import { type VisibleRecord, toVisibleRecord } from '../record/visible-record.ts';
import { runQuery } from './list.ts';

/** How many records are read at once, if their texts are not too long. */
const pageSize = 500;

/** The records of an export, page by page. */
export type ExportedPages = AsyncGenerator<readonly VisibleRecord[], void>;

/**
 * Exports the records that the caller may list, in the order of their ids. A page is read when it is asked for, except
 * for the first one, so that a query or a caller that is refused is so at once. The caller's rights are looked up again
 * for each page; if they can't be, or a query takes too long, the pages end with an error.
 *
 * @throws CodedError if there is no first page
 */
export async function exportRecords(
  call: Call,
  entity: Entity,
  query: Readonly<Record<string, unknown>>,
): Promise<ExportedPages> {
  authorizeOperation(call, entity, 'export');
  authorizeOperation(call, entity, 'list');
  const { where: filter, ...others } = query;
  refuseOthers(others);
  const where = parseWhere(queryTerms(call, entity), filter);
  const read = (inside: Call, after: string | null): Promise<Page> => readPage(inside, entity, { where, after });
  return readPages(await read(call, null), (after) => read(openNextCall(call), after));
}

async function* readPages(first: Page, read: (after: string) => Promise<Page>): ExportedPages {
  let { records, next } = first;
  for (;;) {
    if (records.length > 0) yield records;
    if (next === undefined) return;
    ({ records, next } = await read(next));
  }
}

/**
 * Writes records as they are asked for, so that a client which reads slowly takes no more memory than one which reads
 * fast.
 *
 * @param toLine - writes one record
 */
export function toLineStream(
  pages: ExportedPages,
  toLine: (record: VisibleRecord) => string,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pages.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value.map(toLine).join('')));
    },
    async cancel() {
      await pages.return();
    },
  });
}

/** Some of the records. */
interface Page {
  readonly records: readonly VisibleRecord[];
  /** The id after which to continue; undefined at the end. */
  readonly next: string | undefined;
}

async function readPage(
  call: Call,
  entity: Entity,
  { where, after }: { readonly where: Where; readonly after: string | null },
): Promise<Page> {
  const authorization = openAuthorization(call, entity, 'list');
  const listing = {
    where: await authorization.restrict(await restrictRelated(call, where)),
    order: defaultOrder,
    after: after === null ? null : [after],
    limit: pageSize,
    bounds: boundsOf(call, entity),
  };
  const { records, hasMore } = await runQuery(where === all, () => call.stores.entities.list(entity.name, listing));
  const visible = await authorization.visible(records.map(({ row }) => row));
  return {
    records: visible.map((row) => toVisibleRecord(entity, row)),
    next: hasMore ? records.at(-1)?.row.id : undefined,
  };
}
