import type { Entity } from '../definition/entity.ts';
import { parseGetQuery } from '../query/parse-get-query.ts';
import { admit } from './decide.ts';
import { lookUp, parseId } from './look-up.ts';
import { includeRelated } from './include-related.ts';
import { toShown, type Shown } from './shown-record.ts';
import { queryTerms } from './list-records.ts';
import { findRecordAccess } from './record-access.ts';
import type { Scope } from './scope.ts';

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
  const { select, include, access: names } = parseGetQuery(queryTerms(scope, entity), query);
  const record = await lookUp(scope, { entity, id: parseId(id), rule });
  const rows = [record.row];
  const [related, access] = await Promise.all([
    includeRelated(scope, { entity, rows, include }),
    findRecordAccess(scope, { entity, rows, names }),
  ]);
  return toShown(entity, record, { select, related: related[0], access: access?.[0] });
}
