import type { Entity } from '../definition/entity.ts';
import { parseGetQuery } from '../query/parse-get-query.ts';
import { admit } from './decide.ts';
import { lookUp, parseId } from './look-up.ts';
import { includeRelated } from './include-related.ts';
import { toShown, type Shown } from './shown-record.ts';
import { queryTerms } from './list-records.ts';
import type { Scope } from './scope.ts';

/**
 * Gets one record.
 *
 * @param query - `select` and `include`, in their JSON form
 * @throws CodedError
 */
export async function getRecord(
  scope: Scope,
  entity: Entity,
  id: string,
  query: Readonly<Record<string, unknown>>,
): Promise<Shown> {
  const rule = admit(scope, entity, 'get');
  const { select, include } = parseGetQuery(queryTerms(scope, entity), query);
  const record = await lookUp(scope, { entity, id: parseId(id), rule });
  const related = await includeRelated(scope, { entity, rows: [record.row], include });
  return toShown(entity, record, { select, related: related[0] });
}
