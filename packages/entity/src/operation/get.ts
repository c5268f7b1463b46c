import type { Entity } from '../definition/entity.ts';
import { parseGetQuery } from '../query/parse-list-query.ts';
import { admit } from '../authorization/decide.ts';
import { lookUp, parseId } from './find-record.ts';
import { loadExtras } from './load-extras.ts';
import { type Shown, toShownRecord } from './shown-record.ts';
import { queryTerms } from './list.ts';
import type { Scope } from './scope.ts';
import { toVisibleRow } from '../authorization/visible-rows.ts';

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
  const rule = admit(scope, entity, 'get');
  const { select, include, access: names } = parseGetQuery(() => queryTerms(scope, entity), query);
  const { row, version } = await lookUp(scope, { entity, id: parseId(id), rule });
  const visible = await toVisibleRow(scope, entity, row);
  const { related, access } = await loadExtras(scope, { entity, rows: [row], visible: [visible], include, names });
  return { record: toShownRecord(entity, visible, { select, related: related[0], access: access?.[0] }), version };
}
