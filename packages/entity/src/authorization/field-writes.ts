import { isDeepStrictEqual } from 'node:util';
import { CodedError } from '@x/errors';
import type { EntityValues } from '@x/store';
import type { Entity } from '../definition/entity.ts';
import type { OperationRule } from './operation-rule.ts';
import { type FieldRule, findDoubtful } from './doubtful-fields.ts';
import { judge, type RowSubject, type Verdict } from './judge.ts';
import { denied, outOfReach, unauthenticated } from './refusals.ts';
import type { Scope } from '../operation/scope.ts';
import type { VisibleRow } from './visible-rows.ts';

/** The part of a change that the caller may write, and the conditions for the statement that writes it. */
export interface FieldWrites {
  readonly values: EntityValues;
  /** Rules of fields that the record has to satisfy before the change. */
  readonly rules: ReadonlySet<OperationRule>;
}

/** Says whether a caller chose fields whose rules have to be checked on the record. */
export function needsFieldJudge(scope: Scope, entity: Entity, values: EntityValues): boolean {
  return findDoubtfulOf(scope, entity, values).length > 0;
}

/**
 * Makes sure that the caller may write the fields they chose for a new record.
 *
 * @throws CodedError `UNAUTHENTICATED`, `FORBIDDEN`, `STEP_UP_REQUIRED`
 */
export async function assertChosen(scope: Scope, subject: RowSubject, values: EntityValues): Promise<void> {
  for (const [name, rule] of findDoubtfulOf(scope, subject.entity, values)) {
    const verdict = await judge(scope, rule, subject);
    if (!verdict.allowed) throw refused(scope, { name, rule, verdict });
  }
}

/**
 * Decides which fields of a record the caller may change. A field that they may not write is ignored if it is sent back
 * as the caller was shown it; if they may not read it, they are not told whether it is the same.
 *
 * @param seen - the record as the caller sees it
 * @throws CodedError `UNAUTHENTICATED`, `FORBIDDEN`, `STEP_UP_REQUIRED`
 */
export async function toFieldWrites(
  scope: Scope,
  subject: RowSubject,
  { values, seen }: { readonly values: EntityValues; readonly seen: VisibleRow },
): Promise<FieldWrites> {
  const rules = new Set<OperationRule>();
  const unchanged = new Set<string>();
  for (const [name, rule] of findDoubtfulOf(scope, subject.entity, values)) {
    const verdict = await judge(scope, rule, subject);
    if (verdict.allowed) rules.add(rule);
    else if (isDeepStrictEqual(values[name], seen[name])) unchanged.add(name);
    else throw refused(scope, { name, rule, verdict });
  }
  const kept = Object.entries(values).filter(([name]) => !unchanged.has(name));
  return { values: unchanged.size === 0 ? values : Object.fromEntries(kept), rules };
}

/** Those among the fields that the caller chose. */
function findDoubtfulOf(scope: Scope, { fieldRules }: Entity, values: EntityValues): readonly FieldRule[] {
  return findDoubtful(scope, fieldRules.write).filter(([name]) => Object.hasOwn(values, name));
}

interface Refusal {
  readonly name: string;
  readonly rule: OperationRule;
  readonly verdict: Verdict;
}

function refused({ actor }: Scope, { name, rule, verdict }: Refusal): CodedError {
  const isStranger = actor.caller.userId === null && !rule.admitsAnonymous;
  const error = isStranger ? unauthenticated() : verdict.isRowRefused ? outOfReach() : denied(verdict);
  const issues = [{ path: [name], code: 'not_writable', message: 'You may not choose this field.' }];
  return new CodedError(error.code, error.message, { ...error.extras, issues });
}
