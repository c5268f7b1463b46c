import { isDeepStrictEqual } from 'node:util';
import type { RuleCaller } from '@x/access';
import { CodedError, unauthenticated } from '@x/errors';
import type { EntityRow, EntityValues } from '@x/store';
import { markVisible, type ProtectedEntity, type SeenRecord, type VisibleRow } from './authorization.ts';
import { denialError, recordNotWritable } from './errors.ts';
import { type FieldRules, type Requirement, type OperationRule, uniqueRequirements } from './operation-rule.ts';
import { type Granted, nothingGranted, type RuleEvaluator } from './rule-evaluator.ts';

/** The part of a change that the caller may write, and the condition that the statement that writes it repeats. */
export interface FieldWrites {
  readonly values: EntityValues;
  /** Rules of fields that the record has to satisfy before the change. */
  readonly rules: ReadonlySet<OperationRule>;
}

/** Whose fields they are, and who asks. */
interface FieldSubject {
  readonly caller: RuleCaller;
  readonly entity: Pick<ProtectedEntity, 'fieldRules'>;
}

/** A field, and its read or write rule. */
type FieldRule = readonly [name: string, rule: OperationRule];

/** The rights of one caller on the fields of an entity that have rules of their own. */
export class FieldAuthorization {
  readonly #rules: FieldRules;
  readonly #caller: RuleCaller;
  readonly #evaluator: RuleEvaluator;
  #reads: readonly FieldRule[] | undefined;

  constructor({ entity, caller }: FieldSubject, evaluator: RuleEvaluator) {
    this.#rules = entity.fieldRules;
    this.#caller = caller;
    this.#evaluator = evaluator;
  }

  /** The fields that are hidden from the caller on some record. */
  get conditionallyVisible(): ReadonlySet<string> {
    return new Set(this.#conditionalReads().map(([name]) => name));
  }

  /** Removes from one row the fields that are hidden from the caller. */
  async visible(row: EntityRow): Promise<VisibleRow> {
    const rules = this.#conditionalReads();
    if (rules.length === 0) return markVisible(row);
    return this.#hide(rules, row, await this.#evaluator.readGranted(row, requirementsOf(rules)));
  }

  /** Removes them from each row, in as many store calls as for one. */
  async visibleEach(rows: readonly EntityRow[]): Promise<readonly VisibleRow[]> {
    const rules = this.#conditionalReads();
    if (rules.length === 0) return rows.map(markVisible);
    const granted = await this.#evaluator.readGrantedOnEach(rows, requirementsOf(rules));
    return rows.map((row, at) => this.#hide(rules, row, granted[at] ?? nothingGranted));
  }

  #hide(rules: readonly FieldRule[], row: EntityRow, granted: Granted): VisibleRow {
    const hidden = new Set<string>();
    for (const [name, rule] of rules) if (!this.#evaluator.satisfiesWith(rule, row, granted)) hidden.add(name);
    if (hidden.size === 0) return markVisible(row);
    return markVisible(Object.fromEntries(Object.entries(row).filter(([name]) => !hidden.has(name))) as EntityRow);
  }

  /** Says whether the caller may write one of these fields only on some records. */
  isWriteConditional(values: EntityValues): boolean {
    return this.#conditionalWrites(values).length > 0;
  }

  /** Decides which fields of a record the caller may change, as `Writable.on` says. */
  async writable({ row, seen }: SeenRecord, values: EntityValues): Promise<FieldWrites> {
    const rules = new Set<OperationRule>();
    const unchanged = new Set<string>();
    for (const [name, rule] of this.#conditionalWrites(values)) {
      if (await this.#evaluator.satisfies(rule, row)) rules.add(rule);
      else if (isDeepStrictEqual(values[name], seen[name])) unchanged.add(name);
      else throw await this.#notWritable(name, rule, row);
    }
    const kept = Object.entries(values).filter(([name]) => !unchanged.has(name));
    return { values: unchanged.size === 0 ? values : Object.fromEntries(kept), rules };
  }

  /**
   * Decides on the fields that the caller chose for a new record.
   *
   * @throws CodedError `UNAUTHENTICATED`, `FORBIDDEN`, `STEP_UP_REQUIRED`
   */
  async authorizeChosen(row: EntityRow, chosen: EntityValues): Promise<void> {
    for (const [name, rule] of this.#conditionalWrites(chosen)) {
      if (!(await this.#evaluator.satisfies(rule, row))) throw await this.#notWritable(name, rule, row);
    }
  }

  async #notWritable(name: string, rule: OperationRule, row: EntityRow): Promise<CodedError> {
    const decision = await this.#evaluator.evaluate(rule, row);
    const isStranger = this.#caller.userId === null && !rule.allowsAnonymous;
    const error = isStranger ? unauthenticated() : decision.isRowRefused ? recordNotWritable() : denialError(decision);
    const issues = [{ path: [name], code: 'not_writable', message: 'You may not choose this field.' }];
    return new CodedError(error.code, error.message, { ...error.extras, issues });
  }

  #conditionalReads(): readonly FieldRule[] {
    this.#reads ??= this.#findConditional(this.#rules.read);
    return this.#reads;
  }

  #conditionalWrites(values: EntityValues): readonly FieldRule[] {
    return this.#findConditional(this.#rules.write).filter(([name]) => Object.hasOwn(values, name));
  }

  /** Finds the fields whose rule the caller does not satisfy on every record by who they are. */
  #findConditional(rules: ReadonlyMap<string, OperationRule>): readonly FieldRule[] {
    if (rules.size === 0) return noFields;
    return [...rules].filter(([, rule]) => !this.#evaluator.isSatisfiedByAll(rule));
  }
}

const noFields: readonly FieldRule[] = [];

function requirementsOf(rules: readonly FieldRule[]): readonly Requirement[] {
  return uniqueRequirements(rules.flatMap(([, rule]) => rule.requirements));
}
