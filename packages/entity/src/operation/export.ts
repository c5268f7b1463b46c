import { authorizeOperation, openAuthorization } from '../authorization/open-authorization.ts';
import { boundsOf, renewCall, type Call } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import { type ExportQuery, parseExportQuery } from '../query/parse-export-query.ts';
import { defaultOrder } from '../query/parse-list-query.ts';
import { queryTerms } from '../record/caller-terms.ts';
import { restrictRelated } from '../record/restrict-related.ts';
import { type VisibleRecord, toVisibleRecord } from '../record/visible-record.ts';

/** How many records are read at once, if their texts are not too long. */
const pageSize = 500;

/**
 * Exports the records that the caller may list, as lines of JSON in the order of their ids. The next page is read once
 * the lines before it were taken, so a slow client costs no more than two pages. The caller's rights are looked up
 * again for each page; if they can't be, or a query takes too long, the stream ends with an error, and the client
 * continues after the last record it received.
 *
 * @param toLine - writes a record as one line
 * @throws CodedError if there is no first page
 */
export async function exportRecords(
  call: Call,
  entity: Entity,
  query: Readonly<Record<string, unknown>>,
  toLine: (record: VisibleRecord) => string,
): Promise<ReadableStream<Uint8Array>> {
  authorizeOperation(call, entity, 'export');
  authorizeOperation(call, entity, 'list');
  const parsed = parseExportQuery(queryTerms(call, entity), query);
  const encoder = new TextEncoder();
  const read = async (inside: Call, after: string | null): Promise<Page> => {
    const { records, next } = await readPage(inside, entity, { ...parsed, after });
    return { lines: records.map(toLine).join(''), next };
  };
  let page: Page | null = await read(call, parsed.after);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (page?.lines) controller.enqueue(encoder.encode(page.lines));
      const after: string | undefined = page?.next;
      if (after === undefined) controller.close();
      else page = await read(renewCall(call), after);
    },
    cancel() {
      page = null;
    },
  });
}

/** The lines of some records. */
interface Page {
  readonly lines: string;
  /** The id after which to continue; undefined at the end. */
  readonly next: string | undefined;
}

async function readPage(
  call: Call,
  entity: Entity,
  { where, select, after }: ExportQuery,
): Promise<{ readonly records: readonly VisibleRecord[]; readonly next: string | undefined }> {
  const authorization = openAuthorization(call, entity, 'list');
  const { records, hasMore } = await call.stores.entities.list(entity.name, {
    where: await authorization.restrict(await restrictRelated(call, where)),
    order: defaultOrder,
    after: after === null ? null : [after],
    limit: pageSize,
    bounds: boundsOf(call, entity),
  });
  const visible = await authorization.visible(records.map(({ row }) => row));
  return {
    records: visible.map((row) => toVisibleRecord(entity, row, { select })),
    next: hasMore ? records.at(-1)?.row.id : undefined,
  };
}
