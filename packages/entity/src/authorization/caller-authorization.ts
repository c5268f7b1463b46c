import type { RuleCaller } from '@x/access';
import { notFound } from '@x/errors';
import type { EntityRow, EntityValues } from '@x/store';
import { and, type Where } from '@x/store/where';
import type {
  Authorization,
  AuthorizationScope,
  FieldWrites,
  NewRecordPermit,
  ProtectedEntity,
  VisibleRow,
} from './authorization.ts';
import { RuleConditions, toPostCondition } from './conditions.ts';
import { denialError, recordNotWritable } from './errors.ts';
import { FieldAuthorization } from './field-authorization.ts';
import { type EntitlementRequirement, type OperationRule, toRequirementKey } from './operation-rule.ts';
import { type Granted, nothingGranted, RuleEvaluator } from './rule-evaluator.ts';

/** What the authorization of a caller consists of. */
export interface CallerRules {
  readonly scope: AuthorizationScope;
  readonly caller: RuleCaller;
  readonly entity: ProtectedEntity;
  readonly rule: OperationRule;
  /** The rule that a record has to satisfy to be seen; undefined if the rule alone decides. */
  readonly reading: OperationRule | undefined;
  /** Whether the records do not exist yet. */
  readonly isNew: boolean;
}

/** The authorization of a caller, to whom rules apply. */
export class CallerAuthorization implements Authorization {
  readonly #rules: CallerRules;
  readonly #conditions: RuleConditions;
  readonly #evaluator: RuleEvaluator;
  readonly #fields: FieldAuthorization;

  constructor(rules: CallerRules) {
    const { scope, caller, entity, isNew } = rules;
    this.#rules = rules;
    this.#conditions = new RuleConditions(scope, caller, entity);
    this.#evaluator = new RuleEvaluator(scope, caller, entity, isNew);
    this.#fields = new FieldAuthorization(entity.fieldRules, caller, this.#evaluator);
  }

  within(scope: AuthorizationScope): Authorization {
    return scope === this.#rules.scope ? this : new CallerAuthorization({ ...this.#rules, scope });
  }

  async restrict(where: Where, field?: string): Promise<Where> {
    const { rule, entity } = this.#rules;
    const fieldRule = field === undefined ? undefined : entity.fieldRules.read.get(field);
    const rules = fieldRule ? [rule, fieldRule] : [rule];
    return and(...(await Promise.all(rules.map((each) => this.#conditions.whereForList(each)))), where);
  }

  whereForLookup(): Where {
    const { rule, reading } = this.#rules;
    if (reading === rule) return this.#conditions.whereForRow(rule.lookup);
    const operable = this.#conditions.whereForRow(rule.ungrantedLookup);
    return reading ? and(this.#conditions.whereForRow(reading.lookup), operable) : operable;
  }

  whereForWrite(change?: FieldWrites): Where {
    const { rule, reading } = this.#rules;
    const permitted = this.#conditions.whereForRow(rule.predicate);
    const readable =
      reading === undefined || reading === rule ? permitted : this.#conditions.whereForRow(reading.predicate);
    if (!change) return and(readable, permitted);
    const ofFields = [...change.rules].map(({ predicate }) => this.#conditions.whereForRow(predicate));
    return and(readable, permitted, toPostCondition(permitted, change.values), ...ofFields);
  }

  needsRecord(values?: EntityValues): boolean {
    const { rule, reading } = this.#rules;
    if (values && this.#fields.isWriteConditional(values)) return true;
    return this.#conditions.isPartial(rule) || (reading !== undefined && this.#conditions.isPartial(reading));
  }

  async authorize(row: EntityRow): Promise<void> {
    const { rule, reading } = this.#rules;
    if (!(await this.canRead(row))) throw notFound();
    if (rule === reading || !(rule.isDecidedInMemory || rule.requirements.length > 0)) return;
    const decision = await this.#evaluator.evaluate(rule, row);
    if (decision.isRowRefused) throw notFound();
    if (!decision.allowed) throw denialError(decision);
  }

  async canRead(row: EntityRow): Promise<boolean> {
    const { reading } = this.#rules;
    return !reading || !this.#conditions.isPartial(reading) || this.#evaluator.satisfies(reading, row);
  }

  async canReadWritten(rows: readonly EntityRow[], written: 'created' | 'changed'): Promise<readonly boolean[]> {
    const { reading } = this.#rules;
    if (!reading || (written === 'changed' && !reading.hasConditions)) return rows.map(() => true);
    const granted = await this.#evaluator.readGrantedOnEach(rows, reading.requirements);
    return rows.map((row, at) => this.#evaluator.satisfiesWith(reading, row, granted[at] ?? nothingGranted));
  }

  async authorizeChanged(row: EntityRow): Promise<void> {
    if (!(await this.#evaluator.satisfies(this.#rules.rule, row))) throw recordNotWritable();
  }

  get mayConsume(): boolean {
    return this.#rules.rule.requirements.some(({ type }) => type === 'entitlement');
  }

  async authorizeNew(row: EntityRow, chosen: EntityValues): Promise<NewRecordPermit> {
    const { rule } = this.#rules;
    const decision = await this.#evaluator.evaluate(rule, row);
    if (!decision.allowed) {
      throw decision.isRowRefused || rule.requirements.length === 0 ? recordNotWritable() : denialError(decision);
    }
    const { granted, needed } = this.#findNeeded(row, await this.#evaluator.readGranted(row, rule.requirements));
    await this.#fields.authorizeChosen(row, chosen);
    return {
      confirm: (changed) => {
        if (!this.#evaluator.satisfiesWith(rule, changed, granted)) throw recordNotWritable();
      },
      consume: async () => {
        for (const requirement of needed) await this.#consume(requirement, row);
      },
    };
  }

  /** Finds what a new record has to consume: not what an alternative of the rule makes unnecessary. */
  #findNeeded(
    row: EntityRow,
    all: Granted,
  ): { readonly granted: Granted; readonly needed: readonly EntitlementRequirement[] } {
    const { rule } = this.#rules;
    let granted = all;
    const needed: EntitlementRequirement[] = [];
    for (const requirement of rule.requirements) {
      const others = new Map(granted).set(toRequirementKey(requirement), false);
      const isSuperfluous = !all.get(toRequirementKey(requirement)) || this.#evaluator.satisfiesWith(rule, row, others);
      if (isSuperfluous) granted = others;
      else if (requirement.type === 'entitlement') needed.push(requirement);
    }
    return { granted, needed };
  }

  async #consume(requirement: EntitlementRequirement, row: EntityRow): Promise<void> {
    const target = this.#evaluator.findTarget(requirement, row);
    // It was granted on this row, so there is a target.
    if (!target) throw recordNotWritable();
    const options = target.row ? { row: target.row } : {};
    const access = this.#rules.scope.access();
    const { allowed, reasons, meta } = await access.consume(requirement.entitlement, target.resource, options);
    if (!allowed) throw denialError({ reasons, meta: meta ?? {} });
  }

  get conditionallyVisible(): ReadonlySet<string> {
    return this.#fields.conditionallyVisible;
  }

  visible(row: EntityRow): Promise<VisibleRow> {
    return this.#fields.visible(row);
  }

  visibleEach(rows: readonly EntityRow[]): Promise<readonly VisibleRow[]> {
    return this.#fields.visibleEach(rows);
  }

  writable(row: EntityRow, seen: VisibleRow, values: EntityValues): Promise<FieldWrites> {
    return this.#fields.writable(row, seen, values);
  }
}
