import type { EntityRecord } from '@x/store';
import { and } from '@x/store/where';
import type { Entity } from '../definition/entity.ts';
import { field } from '../model/field.ts';
import { coerceValue } from '../query/query-terms.ts';
import type { OperationRule } from '../authorization/operation-rule.ts';
import { needsJudge, toRowCondition } from '../authorization/decide.ts';
import { judge } from '../authorization/judge.ts';
import { denied, notFound } from '../authorization/refusals.ts';
import type { Scope } from './scope.ts';

/** One record, as the target of an operation. */
export interface Target {
  readonly entity: Entity;
  readonly id: string;
  /** The rule of the operation; null for the system. */
  readonly rule: OperationRule | null;
}

const idField = field.uuid();

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
  const parsed = coerceValue(idField, text);
  return typeof parsed === 'string' ? parsed : null;
}

/**
 * Loads a record for an operation on it. The parts of the rule that `all` joins are included in the query;
 * alternatives, and parts of entitlements other than roles, are decided on the row.
 *
 * @throws CodedError `NOT_FOUND` if the caller can't see it, or its fields refuse the operation; `FORBIDDEN` or
 * `STEP_UP_REQUIRED` if the caller lacks something else
 */
export async function lookUp(scope: Scope, { entity, id, rule }: Target): Promise<EntityRecord> {
  const reading = entity.rules.get('get');
  const isRead = rule === reading;
  const readable = toRowCondition(scope, entity, reading, ({ lookup }) => lookup);
  const where = isRead
    ? readable
    : and(
        readable,
        toRowCondition(scope, entity, rule, ({ ungrantedLookup }) => ungrantedLookup),
      );
  const record = await scope.stores.entities.get(entity.name, id, where);
  if (!record) throw notFound();
  const subject = { entity, row: record.row };
  if (needsJudge(scope, entity, reading) && !(await judge(scope, reading, subject)).allowed) throw notFound();
  if (isRead || !rule || !(rule.isDecidedInMemory || rule.grants.length > 0)) return record;
  const verdict = await judge(scope, rule, subject);
  if (verdict.isRowRefused) throw notFound();
  if (!verdict.allowed) throw denied(verdict);
  return record;
}

/** Says whether the caller may read a record: by the rule of `get`, or of `list` if only that is exposed. */
export async function isReadable(scope: Scope, entity: Entity, id: string): Promise<boolean> {
  const rule = entity.rules.get('get') ?? entity.rules.get('list');
  if (scope.actor.type === 'caller' && !rule) return false;
  const where = toRowCondition(scope, entity, rule, ({ lookup }) => lookup);
  const record = await scope.stores.entities.get(entity.name, id, where);
  if (!record) return false;
  return !needsJudge(scope, entity, rule) || (await judge(scope, rule, { entity, row: record.row })).allowed;
}
