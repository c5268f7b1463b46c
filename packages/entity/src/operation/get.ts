import { openAuthorization } from '../authorization/open-authorization.ts';
import type { Call } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import { parseGetQuery } from '../query/parse-list-query.ts';
import { queryTerms } from '../record/caller-terms.ts';
import { findRecord, parseId } from '../record/find-record.ts';
import { loadExtras } from '../record/load-extras.ts';
import { assertFits } from '../record/page-size.ts';
import { type Shown, toVisibleRecord } from '../record/visible-record.ts';

/**
 * Gets one record.
 *
 * @param query - `select`, `include` and `access`, in their JSON form
 * @throws CodedError
 */
export async function getRecord(call: Call, entity: Entity, id: string, query: object): Promise<Shown> {
  const authorization = openAuthorization(call, entity, 'get');
  const { select, ...requested } = parseGetQuery(() => queryTerms(call, entity), query);
  const { row, version } = await findRecord(call, { entity, id: parseId(entity, id), authorization });
  const visible = await authorization.visible(row);
  const extras = await loadExtras(call, { entity, rows: [row], visible: [visible], ...requested });
  const { related, access } = extras;
  const record = toVisibleRecord(entity, visible, { select, related: related[0], access: access?.[0] });
  assertFits(entity, record, extras);
  return { record, version };
}
