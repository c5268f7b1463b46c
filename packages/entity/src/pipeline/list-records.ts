import type { Entity } from '../definition/entity.ts';
import { toListCursor } from '../query/list-cursor.ts';
import { parseListQuery, type QueryTerms } from '../query/parse-list-query.ts';
import { findClosedFields } from './closed-fields.ts';
import { admit, allOf, toListCondition } from './decide.ts';
import type { RecordPage } from './entity-api.ts';
import { includeRelated } from './include-related.ts';
import { findRecordAccess } from './record-access.ts';
import type { Scope } from './scope.ts';
import { type ShownRecord, toShownRecord } from './shown-record.ts';
import { toVisibleRows } from './visible-rows.ts';

/**
 * Lists the records that the caller may have, by a query in its JSON form. The caller's filter stands beside the condition
 * of the rule, so it can only narrow.
 *
 * @throws CodedError
 */
export async function listRecords(scope: Scope, entity: Entity, query: unknown): Promise<RecordPage<ShownRecord>> {
  const rule = admit(scope, entity, 'list');
  const parsed = parseListQuery(queryTerms(scope, entity), query);
  const { order, after, limit, select, include, count, access: names } = parsed;
  const where = allOf(await toListCondition(scope, entity, rule ?? undefined), parsed.where);
  const { entities } = scope.stores;
  const [found, total] = await Promise.all([
    entities.list(entity.name, { where, order, after, limit: limit + 1 }),
    count ? entities.count(entity.name, where) : undefined,
  ]);
  const rows = found.slice(0, limit).map(({ row }) => row);
  const visible = await toVisibleRows(scope, entity, rows);
  const [related, access] = await Promise.all([
    includeRelated(scope, { entity, rows: visible, include }),
    findRecordAccess(scope, { entity, rows, names }),
  ]);
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

/** Builds what the caller's queries on an entity may ask for; a relation leads only where records can be read. */
export function queryTerms(scope: Scope, entity: Entity): QueryTerms {
  const { context, actor } = scope;
  const { name, model, maxLimit } = entity;
  const entitlements = context.grantColumns.get(name)?.entitlements;
  return {
    model,
    maxLimit,
    closed: findClosedFields(scope, entity),
    ...(entitlements && { entitlements }),
    findModel(other) {
      const related = context.entities.get(other);
      const isReadable = actor.type === 'system' || related?.rules.has('get') || related?.rules.has('list');
      return isReadable ? related?.model : undefined;
    },
  };
}
