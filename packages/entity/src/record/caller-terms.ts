import { findConditionallyVisible } from '../authorization/open-authorization.ts';
import type { Call } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import type { QueryTerms } from '../query/parse-list-query.ts';
import type { FindRelated } from '../query/query-terms.ts';

/** Builds the terms of the caller's queries on an entity; relations to entities that can't be read are left out. */
export function queryTerms(call: Call, entity: Entity): QueryTerms {
  const { context, actor } = call;
  const { name, model, maxLimit } = entity;
  const findRelated: FindRelated = (other) => {
    const related = context.entities.get(other);
    const isReadable = actor.type === 'system' || related?.rules.has('get') || related?.rules.has('list');
    if (!related || !isReadable) return undefined;
    return {
      model: related.model,
      get unqueryable() {
        return findConditionallyVisible(call, related);
      },
      findRelated,
    };
  };
  const entitlements = context.resourceColumns.get(name)?.entitlements;
  const conditionallyVisible = findConditionallyVisible(call, entity);
  return {
    model,
    maxLimit,
    // Ordering or filtering by a field that some record hides would reveal its value.
    ...(conditionallyVisible.size > 0 && { unqueryable: conditionallyVisible }),
    ...(entitlements && { entitlements }),
    findRelated,
  };
}
