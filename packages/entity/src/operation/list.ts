import { and } from '@x/store/where';
import type { Entity } from '../definition/entity.ts';
import { toListCursor } from '../query/list-cursor.ts';
import { parseListQuery, type QueryTerms } from '../query/parse-list-query.ts';
import { admit, toListCondition } from '../authorization/decide.ts';
import type { RecordPage } from '../action/entity-api.ts';
import { findDoubtful } from '../authorization/doubtful-fields.ts';
import { loadExtras } from './load-extras.ts';
import type { Scope } from './scope.ts';
import { type ShownRecord, toShownRecord } from './shown-record.ts';
import { toVisibleRows } from '../authorization/visible-rows.ts';

/**
 * Lists the records that the caller may read, by a query in its JSON form. The caller's filter is added to the
 * condition of the rule, so it can only narrow the result.
 *
 * @throws CodedError
 */
export async function listRecords(scope: Scope, entity: Entity, query: unknown): Promise<RecordPage<ShownRecord>> {
  const rule = admit(scope, entity, 'list');
  const parsed = parseListQuery(queryTerms(scope, entity), query);
  const { order, after, limit, select, include, count, access: names } = parsed;
  const where = and(await toListCondition(scope, entity, rule ?? undefined), parsed.where);
  const { entities } = scope.stores;
  const listing = { where, order, after, limit: limit + 1 };
  const [found, total] = count
    ? await Promise.all([entities.list(entity.name, listing), entities.count(entity.name, where)])
    : [await entities.list(entity.name, listing), undefined];
  const rows = found.slice(0, limit).map(({ row }) => row);
  const visible = await toVisibleRows(scope, entity, rows);
  const { related, access } = await loadExtras(scope, { entity, rows, visible, include, names });
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
export function queryTerms(scope: Scope, entity: Entity): QueryTerms {
  const { context, actor } = scope;
  const { name, model, maxLimit } = entity;
  const entitlements = context.grantColumns.get(name)?.entitlements;
  const doubtful = findDoubtful(scope, entity.fieldRules.read);
  return {
    model,
    maxLimit,
    // Ordering or filtering by a field that some record hides would reveal its value.
    ...(doubtful.length > 0 && { closed: new Set(doubtful.map(([field]) => field)) }),
    ...(entitlements && { entitlements }),
    findModel(other) {
      const related = context.entities.get(other);
      const isReadable = actor.type === 'system' || related?.rules.has('get') || related?.rules.has('list');
      return isReadable ? related?.model : undefined;
    },
  };
}
