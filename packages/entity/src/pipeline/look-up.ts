import { findMaxAge } from '@x/access';
import type { EntityRecord } from '@x/store';
import type { Entity } from '../definition/entity.ts';
import { field } from '../field/field.ts';
import { coerceValue } from '../query/coerce-value.ts';
import type { OperationRule } from '../rule/operation-rule.ts';
import { allOf, judge, toCondition } from './decide.ts';
import { denied, notFound } from './refusals.ts';
import type { Scope } from './scope.ts';

/** One record that something is to be done with. */
export interface Target {
  readonly entity: Entity;
  readonly id: string;
  /** The rule of what is to be done; null for the system. */
  readonly rule: OperationRule | null;
}

const idField = field.uuid();

/**
 * Parses the id of a record.
 *
 * @throws CodedError `NOT_FOUND` where no record can have it
 */
export function parseId(id: string): string {
  const parsed = coerceValue(idField, id);
  if (typeof parsed !== 'string') throw notFound();
  return parsed;
}

/**
 * Loads a record for what is to be done with it. What `all` holds together is asked in the query, alternatives are decided
 * on the row.
 *
 * @throws CodedError `NOT_FOUND` where the caller can't see it or its fields refuse the operation; `FORBIDDEN` or
 * `STEP_UP_REQUIRED` where the caller lacks something else
 */
export async function lookUp(scope: Scope, { entity, id, rule }: Target): Promise<EntityRecord> {
  const reading = entity.rules.get('get');
  const isRead = rule === reading;
  const readable = toCondition(scope, reading?.lookup);
  const where = isRead ? readable : allOf(readable, toCondition(scope, rule?.lookup));
  const record = await scope.stores.entities.get(entity.name, id, where);
  if (!record || (reading?.isDecidedInMemory && !judge(scope, reading, record.row).allowed)) throw notFound();
  if (isRead || !rule?.isDecidedInMemory) return record;
  const verdict = judge(scope, rule, record.row);
  if (verdict.isRowRefused) throw notFound();
  if (!verdict.allowed) throw denied(verdict.reasons, findMaxAge(rule.predicate));
  return record;
}
