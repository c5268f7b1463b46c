import { notFound } from '@x/errors';
import type { EntityRecord } from '@x/store';
import type { Authorization } from '../authorization/authorization.ts';
import { openAuthorization } from '../authorization/open-authorization.ts';
import type { Entity } from '../definition/entity.ts';
import { uuid } from '../model/value-schema.ts';
import { parseGetQuery } from '../query/parse-list-query.ts';
import { queryTerms } from './list.ts';
import { loadExtras } from './load-extras.ts';
import { countFitting } from './page-size.ts';
import type { Scope } from './scope.ts';
import { type Shown, toVisibleRecord } from './visible-record.ts';

/**
 * Gets one record.
 *
 * @param query - `select`, `include` and `access`, in their JSON form
 * @throws CodedError
 */
export async function getRecord(scope: Scope, entity: Entity, id: string, query: object): Promise<Shown> {
  const authorization = openAuthorization(scope, entity, 'get');
  const { select, ...requested } = parseGetQuery(() => queryTerms(scope, entity), query);
  const { row, version } = await findRecord(scope, { entity, id: parseId(id), authorization });
  const visible = await authorization.visible(row);
  const extras = await loadExtras(scope, { entity, rows: [row], visible: [visible], ...requested });
  const { related, access } = extras;
  const record = toVisibleRecord(entity, visible, { select, related: related[0], access: access?.[0] });
  // Throws if it is too large with all that it includes.
  if (related.length > 0) countFitting(entity, [record], extras);
  return { record, version };
}

/** One record, as the target of an operation. */
export interface Target {
  readonly entity: Entity;
  readonly id: string;
  readonly authorization: Authorization;
}

/**
 * Loads a record for an operation on it. The parts of the rule that `all` joins are included in the query;
 * alternatives, and parts of entitlements other than roles, are decided on the row.
 *
 * @throws CodedError `NOT_FOUND`; `FORBIDDEN`, `STEP_UP_REQUIRED` as `Authorization.authorize`
 */
export async function findRecord(scope: Scope, { entity, id, authorization }: Target): Promise<EntityRecord> {
  const record = await authorization.authorize((where) => scope.stores.entities.get(entity.name, id, where));
  if (!record) throw notFound();
  return record;
}

/**
 * Parses the id of a record.
 *
 * @throws CodedError `NOT_FOUND` if the text cannot be the id of a record
 */
export function parseId(id: string): string {
  const parsed = toId(id);
  if (parsed === null) throw notFound();
  return parsed;
}

/** Converts a text to a record id in stored form; null if it cannot be one. */
export function toId(text: string): string | null {
  return uuid.safeParse(text).data ?? null;
}
