import type { RecordPage } from '../action/entity-api.ts';
import type { Authorization } from '../authorization/authorization.ts';
import { openAuthorization } from '../authorization/open-authorization.ts';
import type { Entity } from '../definition/entity.ts';
import { toListCursor } from '../query/list-cursor.ts';
import { parseListQuery, type QueryTerms } from '../query/parse-list-query.ts';
import { loadExtras } from './load-extras.ts';
import type { Scope } from './scope.ts';
import { type ShownRecord, toShownRecord } from './shown-record.ts';

/**
 * Lists the records that the caller may read, by a query in its JSON form. The caller's filter is added to the
 * condition of the rule, so it can only narrow the result.
 *
 * @throws CodedError
 */
export async function listRecords(scope: Scope, entity: Entity, query: unknown): Promise<RecordPage<ShownRecord>> {
  const authorization = openAuthorization(scope, entity, 'list');
  const parsed = parseListQuery(queryTerms(scope, entity, authorization), query);
  const { order, after, limit, select, include, count, entitlements } = parsed;
  const where = await authorization.restrict(parsed.where);
  const { entities } = scope.stores;
  const listing = { where, order, after, limit: limit + 1 };
  const [found, total] = count
    ? await Promise.all([entities.list(entity.name, listing), entities.count(entity.name, where)])
    : [await entities.list(entity.name, listing), undefined];
  const rows = found.slice(0, limit).map(({ row }) => row);
  const visible = await authorization.visibleEach(rows);
  const { related, access } = await loadExtras(scope, { entity, rows, visible, include, entitlements });
  const last = rows.at(-1);
  const hasNextPage = found.length > limit;
  return {
    items: visible.map((row, index) =>
      toShownRecord(entity, row, { select, related: related[index], access: access?.[index] }),
    ),
    nextCursor: hasNextPage && last ? toListCursor(order, last) : null,
    hasNextPage,
    ...(total !== undefined && { total }),
  };
}

/** Builds the terms of the caller's queries on an entity; relations to entities that can't be read are left out. */
export function queryTerms(
  { context, actor }: Scope,
  entity: Entity,
  { conditionallyVisible }: Authorization,
): QueryTerms {
  const { name, model, maxLimit } = entity;
  const entitlements = context.resourceColumns.get(name)?.entitlements;
  return {
    model,
    maxLimit,
    // Ordering or filtering by a field that some record hides would reveal its value.
    ...(conditionallyVisible.size > 0 && { unqueryable: conditionallyVisible }),
    ...(entitlements && { entitlements }),
    findModel(other) {
      const related = context.entities.get(other);
      const isReadable = actor.type === 'system' || related?.rules.has('get') || related?.rules.has('list');
      return isReadable ? related?.model : undefined;
    },
  };
}
