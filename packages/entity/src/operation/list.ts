import { isQueryTooExpensive, storeUnavailable } from '@x/store';
import { all } from '@x/store/where';
import type { RecordPage } from '../action/entity-api.ts';
import { openAuthorization } from '../authorization/open-authorization.ts';
import { boundsOf, type Call } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import { toListCursor } from '../query/list-cursor.ts';
import { defaultOrder, type ParsedListQuery, parseListQuery } from '../query/parse-list-query.ts';
import { queryTerms } from '../record/caller-terms.ts';
import { loadExtras } from '../record/load-extras.ts';
import { countFitting } from '../record/page-size.ts';
import { isAboutRelated, restrictOrder, restrictRelated } from '../record/restrict-related.ts';
import { type VisibleRecord, toVisibleRecord } from '../record/visible-record.ts';

/** One page, with the number of records on all pages if it was requested. */
interface ListedPage extends RecordPage<VisibleRecord> {
  readonly total?: number;
}

/**
 * Lists the records that the caller may read, by a query in its JSON form. The caller's filter is added to the
 * condition of the rule, so it can only narrow the result.
 *
 * @throws CodedError
 */
export async function listRecords(call: Call, entity: Entity, query: unknown): Promise<ListedPage> {
  const authorization = openAuthorization(call, entity, 'list');
  const parsed = parseListQuery(queryTerms(call, entity), query);
  const { after, limit, select, include, count, entitlements } = parsed;
  const isByRelated = parsed.order.some(({ through }) => through !== undefined);
  const order = isByRelated ? await restrictOrder(call, parsed.order) : parsed.order;
  const filter = isAboutRelated(parsed.where) ? await restrictRelated(call, parsed.where) : parsed.where;
  const where = await authorization.restrict(filter);
  const { entities } = call.stores;
  const bounds = boundsOf(call, entity);
  const listing = { where, order, after, limit, bounds };
  const [page, total] = await runQuery(isDefault(parsed), () =>
    Promise.all([entities.list(entity.name, listing), count ? entities.count(entity.name, where, bounds) : undefined]),
  );
  const rows = page.records.map(({ row }) => row);
  const visible = await authorization.visible(rows);
  const extras = await loadExtras(call, { entity, rows, visible, include, entitlements });
  const shown = visible.map((row, index) =>
    toVisibleRecord(entity, row, { select, related: extras.related[index], access: extras.access?.[index] }),
  );
  const items = shown.slice(0, countFitting(entity, shown, extras));
  const last = rows[items.length - 1];
  const hasNextPage = page.hasMore || items.length < shown.length;
  return {
    items,
    nextCursor: hasNextPage && last ? toListCursor(order, last, page.keys?.[items.length - 1]) : null,
    hasNextPage,
    ...(total !== undefined && { total }),
  };
}

/** Says whether the caller has added no filter, order or count, so that the rule alone decides the cost of the list. */
function isDefault({ where, order, count }: ParsedListQuery): boolean {
  return where === all && order === defaultOrder && !count;
}

/**
 * Reads a page. If a default query takes too long, that is not the caller's fault.
 *
 * @param isByRule - whether the rule alone decides the cost
 * @throws CodedError `SERVICE_UNAVAILABLE` in place of `QUERY_TOO_EXPENSIVE`
 */
export async function runQuery<T>(isByRule: boolean, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw isByRule && isQueryTooExpensive(error) ? storeUnavailable(error) : error;
  }
}
