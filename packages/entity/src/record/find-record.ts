import { notFound } from '@x/errors';
import type { EntityRecord } from '@x/store';
import type { Authorization } from '../authorization/authorization.ts';
import type { Call } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import { toIdSchema } from '../model/value-schema.ts';

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
 * @throws CodedError `NOT_FOUND`; `FORBIDDEN`, `STEP_UP_REQUIRED` as `Authorization.findAuthorized`
 */
export async function findRecord(call: Call, { entity, id, authorization }: Target): Promise<EntityRecord> {
  const record = await authorization.findAuthorized((where) => call.stores.entities.get(entity.name, id, where));
  if (!record) throw notFound();
  return record;
}

/**
 * Parses the id of a record.
 *
 * @throws CodedError `NOT_FOUND` if the text cannot be the id of a record
 */
export function parseId(entity: Entity, id: string): string {
  const parsed = toId(entity, id);
  if (parsed === null) throw notFound();
  return parsed;
}

/** Converts a text to a record id in stored form; null if it cannot be one. */
export function toId({ model }: Entity, text: string): string | null {
  return toIdSchema(model.allFields.get('id') ?? {}).safeParse(text).data ?? null;
}
