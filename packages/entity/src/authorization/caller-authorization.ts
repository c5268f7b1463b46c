import { isDeepStrictEqual } from 'node:util';
import type { RuleCaller } from '@x/access';
import { type Awaitable, CodedError, notFound, unauthenticated } from '@x/errors';
import type { EntityRow, EntityValues } from '@x/store';
import { and, type Where } from '@x/store/where';
import type { Authorization, AuthorizationScope, FieldWrites, ProtectedEntity, VisibleRow } from './authorization.ts';
import { RuleConditions, toPostCondition } from './conditions.ts';
import { denialError, recordNotWritable } from './errors.ts';
import { type Decision, evaluatePredicate, type Facts, type Granted, nothingGranted } from './evaluate.ts';
import { evaluateWithReasons, RecordGrants } from './grants.ts';
import { type EntitlementGrant, type Grant, type OperationRule, toGrantKey } from './operation-rule.ts';

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

/** A field, and its read or write rule. */
type FieldRule = readonly [name: string, rule: OperationRule];

/** What a new record relied on. */
interface Use {
  readonly row: EntityRow;
  readonly granted: Granted;
  /** The entitlements to consume, without those that an alternative of the rule makes unnecessary. */
  readonly needed: readonly EntitlementGrant[];
}

/** The authorization of a caller, to whom rules apply. */
export class CallerAuthorization implements Authorization {
  readonly #rules: CallerRules;
  readonly #conditions: RuleConditions;
  readonly #grants: RecordGrants;
  #conditionalReads: readonly FieldRule[] | undefined;
  #use: Use | undefined;

  constructor(rules: CallerRules) {
    const { scope, caller, entity, isNew } = rules;
    this.#rules = rules;
    this.#conditions = new RuleConditions(scope, caller, entity);
    this.#grants = new RecordGrants(scope, entity, isNew);
  }

  within(scope: AuthorizationScope): Authorization {
    return scope === this.#rules.scope ? this : new CallerAuthorization({ ...this.#rules, scope });
  }

  // Conditions for statements.

  restrict(where: Where, field?: string): Awaitable<Where> {
    const { rule, entity } = this.#rules;
    const permitted = this.#conditions.whereForList(rule);
    const fieldRule = field === undefined ? undefined : entity.fieldRules.read.get(field);
    if (!fieldRule) return whenKnown(permitted, (condition) => and(condition, where));
    return Promise.all([permitted, this.#conditions.whereForList(fieldRule)]).then((each) => and(...each, where));
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
    if (values && this.#conditionalWrites(values).length > 0) return true;
    return this.#conditions.isPartial(rule) || (reading !== undefined && this.#conditions.isPartial(reading));
  }

  // Decisions on records.

  authorize(row: EntityRow): Promise<void> | undefined {
    const { rule, reading } = this.#rules;
    const mayBeUnreadable = reading !== undefined && this.#conditions.isPartial(reading);
    const mayBeDenied = rule !== reading && (rule.isDecidedInMemory || rule.grants.length > 0);
    return mayBeUnreadable || mayBeDenied ? this.#authorize(row, mayBeDenied) : undefined;
  }

  async #authorize(row: EntityRow, mayBeDenied: boolean): Promise<void> {
    if (!(await this.canRead(row))) throw notFound();
    if (!mayBeDenied) return;
    const decision = await this.#decide(this.#rules.rule, row);
    if (decision.isRowRefused) throw notFound();
    if (!decision.allowed) throw denialError(decision);
  }

  canRead(row: EntityRow): Awaitable<boolean> {
    const { reading } = this.#rules;
    return reading === undefined || !this.#conditions.isPartial(reading) || this.#holds(reading, row);
  }

  authorizeChanged(row: EntityRow): Awaitable<void> {
    return whenKnown(this.#holds(this.#rules.rule, row), (holds) => {
      if (!holds) throw recordNotWritable();
    });
  }

  async authorizeNew(row: EntityRow, chosen: EntityValues): Promise<void> {
    const { rule } = this.#rules;
    const granted = await this.#grants.read(row, rule.grants);
    const decision = await this.#decideWith(rule, row, granted);
    if (!decision.allowed) {
      throw decision.isRowRefused || rule.grants.length === 0 ? recordNotWritable() : denialError(decision);
    }
    this.#use = this.#planUse(row, granted);
    for (const [name, fieldRule] of this.#conditionalWrites(chosen)) {
      if (!(await this.#holds(fieldRule, row))) throw await this.#notWritable(name, fieldRule, row);
    }
  }

  /** Finds the entitlements that a new record needs. */
  #planUse(row: EntityRow, all: Granted): Use {
    const { rule } = this.#rules;
    let granted = all;
    const needed: EntitlementGrant[] = [];
    for (const grant of rule.grants) {
      const others = new Map(granted).set(toGrantKey(grant), false);
      const isSuperfluous = !all.get(toGrantKey(grant)) || this.#holdsWith(rule, row, others);
      if (isSuperfluous) granted = others;
      else if (grant.type === 'entitlement') needed.push(grant);
    }
    return { row, granted, needed };
  }

  confirmNew(row: EntityRow): void {
    if (!this.#holdsWith(this.#rules.rule, row, this.#use?.granted ?? nothingGranted)) throw recordNotWritable();
  }

  get mayConsume(): boolean {
    return this.#rules.rule.grants.length > 0;
  }

  async consume(): Promise<void> {
    const { row, needed = [] } = this.#use ?? {};
    for (const grant of needed) {
      const on = row && this.#grants.findTarget(grant, row);
      if (!on) continue;
      const access = this.#rules.scope.access();
      const use = await access.consume(grant.entitlement, on.resource, on.row ? { row: on.row } : {});
      if (!use.allowed) throw denialError({ reasons: use.reasons, meta: use.meta ?? {} });
    }
  }

  // Fields with rules of their own.

  get conditionallyVisible(): ReadonlySet<string> {
    return new Set(this.#findConditionalReads().map(([name]) => name));
  }

  visible(row: EntityRow): Awaitable<VisibleRow> {
    const rules = this.#findConditionalReads();
    if (rules.length === 0) return row as VisibleRow;
    return whenKnown(this.#grants.read(row, grantsOf(rules)), (granted) => this.#hide(rules, row, granted));
  }

  visibleEach(rows: readonly EntityRow[]): Awaitable<readonly VisibleRow[]> {
    const rules = this.#findConditionalReads();
    if (rules.length === 0) return rows as readonly VisibleRow[];
    const reading = this.#grants.readEach(rows, grantsOf(rules));
    return reading.then((each) => rows.map((row, at) => this.#hide(rules, row, each[at] ?? nothingGranted)));
  }

  #hide(rules: readonly FieldRule[], row: EntityRow, granted: Granted): VisibleRow {
    const hidden = new Set<string>();
    for (const [name, rule] of rules) if (!this.#holdsWith(rule, row, granted)) hidden.add(name);
    if (hidden.size === 0) return row as VisibleRow;
    return Object.fromEntries(Object.entries(row).filter(([name]) => !hidden.has(name))) as unknown as VisibleRow;
  }

  async writable(row: EntityRow, seen: VisibleRow, values: EntityValues): Promise<FieldWrites> {
    const rules = new Set<OperationRule>();
    const unchanged = new Set<string>();
    for (const [name, rule] of this.#conditionalWrites(values)) {
      if (await this.#holds(rule, row)) rules.add(rule);
      else if (isDeepStrictEqual(values[name], seen[name])) unchanged.add(name);
      else throw await this.#notWritable(name, rule, row);
    }
    const kept = Object.entries(values).filter(([name]) => !unchanged.has(name));
    return { values: unchanged.size === 0 ? values : Object.fromEntries(kept), rules };
  }

  async #notWritable(name: string, rule: OperationRule, row: EntityRow): Promise<CodedError> {
    const decision = await this.#decide(rule, row);
    const isStranger = this.#rules.caller.userId === null && !rule.allowsAnonymous;
    const error = isStranger ? unauthenticated() : decision.isRowRefused ? recordNotWritable() : denialError(decision);
    const issues = [{ path: [name], code: 'not_writable', message: 'You may not choose this field.' }];
    return new CodedError(error.code, error.message, { ...error.extras, issues });
  }

  #findConditionalReads(): readonly FieldRule[] {
    this.#conditionalReads ??= this.#findConditional(this.#rules.entity.fieldRules.read);
    return this.#conditionalReads;
  }

  #conditionalWrites(values: EntityValues): readonly FieldRule[] {
    const { write } = this.#rules.entity.fieldRules;
    return this.#findConditional(write).filter(([name]) => Object.hasOwn(values, name));
  }

  /** Finds the fields whose rule the caller does not satisfy on every record by who they are. */
  #findConditional(rules: ReadonlyMap<string, OperationRule>): readonly FieldRule[] {
    if (rules.size === 0) return noFields;
    return [...rules].filter(
      ([, { predicate }]) => !evaluatePredicate(predicate, this.#facts(null, nothingGranted)).allowed,
    );
  }

  // Single rules.

  #holds(rule: OperationRule, row: EntityRow): Awaitable<boolean> {
    return whenKnown(this.#grants.read(row, rule.grants), (granted) => this.#holdsWith(rule, row, granted));
  }

  #holdsWith({ predicate }: OperationRule, row: EntityRow, granted: Granted): boolean {
    return evaluatePredicate(predicate, this.#facts(row, granted)).allowed;
  }

  /** Like `#holds`, with the reasons of a denial. */
  #decide(rule: OperationRule, row: EntityRow): Awaitable<Decision> {
    return whenKnown(this.#grants.read(row, rule.grants), (granted) => this.#decideWith(rule, row, granted));
  }

  #decideWith(rule: OperationRule, row: EntityRow, granted: Granted): Awaitable<Decision> {
    const facts = this.#facts(row, granted);
    return evaluateWithReasons(this.#rules.scope.access, rule, {
      facts,
      findCheckedOn: (grant) => this.#grants.findTarget(grant, row),
    });
  }

  #facts(row: EntityRow | null, granted: Granted): Facts {
    const { caller, scope } = this.#rules;
    return { caller, now: scope.now, row, granted };
  }
}

const noFields: readonly FieldRule[] = [];

function grantsOf(rules: readonly FieldRule[]): readonly Grant[] {
  const grants = rules.flatMap(([, rule]) => rule.grants);
  return [...new Map(grants.map((grant) => [toGrantKey(grant), grant])).values()];
}

/** Continues with a value; synchronously if it is known, as it is for rules of plain conditions. */
function whenKnown<T, Next>(value: Awaitable<T>, toNext: (value: T) => Awaitable<Next>): Awaitable<Next> {
  return value instanceof Promise ? value.then(toNext) : toNext(value);
}
