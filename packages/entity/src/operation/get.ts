import { openAuthorization } from '../authorization/open-authorization.ts';
import type { Entity } from '../definition/entity.ts';
import { parseGetQuery } from '../query/parse-list-query.ts';
import { findRecord, parseId } from './find-record.ts';
import { queryTerms } from './list.ts';
import { loadExtras } from './load-extras.ts';
import type { Scope } from './scope.ts';
import { type Shown, toShownRecord } from './shown-record.ts';

/**
 * Gets one record.
 *
 * @param query - `select`, `include` and `access`, in their JSON form
 * @throws CodedError
 */
export async function getRecord(
  scope: Scope,
  entity: Entity,
  id: string,
  query: Readonly<Record<string, unknown>>,
): Promise<Shown> {
  const authorization = openAuthorization(scope, entity, 'get');
  const {
    select,
    include,
    access: entitlements,
  } = parseGetQuery(() => queryTerms(scope, entity, authorization), query);
  const { row, version } = await findRecord(scope, { entity, id: parseId(id), authorization });
  const visible = await authorization.visible(row);
  const { related, access } = await loadExtras(scope, {
    entity,
    rows: [row],
    visible: [visible],
    include,
    entitlements,
  });
  return { record: toShownRecord(entity, visible, { select, related: related[0], access: access?.[0] }), version };
}
