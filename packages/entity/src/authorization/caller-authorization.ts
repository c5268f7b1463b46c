import type { EntityRecord, EntityRow, EntityValues } from '@x/store';
import { and, type Where } from '@x/store/where';
import {
  type Authorization,
  isRowList,
  type RuleContext,
  type SeenRecord,
  type VisibleRow,
  type Writable,
  type WritableChange,
} from './authorization.ts';
import { RuleConditions, toPostCondition } from './conditions.ts';
import { denialError, recordNotWritable } from './errors.ts';
import { FieldAuthorization, type FieldWrites } from './field-authorization.ts';
import type { OperationRule } from './operation-rule.ts';
import { RuleEvaluator } from './rule-evaluator.ts';

/** The parts of the authorization of a caller. */
export interface CallerRules extends RuleContext {
  readonly rule: OperationRule;
  /** The rule that a record has to satisfy to be seen; undefined if the rule alone decides. */
  readonly reading: OperationRule | undefined;
}

/** The authorization of a caller, to whom rules apply. */
export class CallerAuthorization implements Authorization {
  readonly #rules: CallerRules;
  readonly #conditions: RuleConditions;
  readonly #evaluator: RuleEvaluator;
  readonly #fields: FieldAuthorization;

  constructor(rules: CallerRules) {
    this.#rules = rules;
    this.#conditions = new RuleConditions(rules);
    this.#evaluator = new RuleEvaluator(rules, 'stored');
    this.#fields = new FieldAuthorization(rules, this.#evaluator);
  }

  async findAuthorized(find: (where: Where) => Promise<EntityRecord | null>): Promise<EntityRecord | null> {
    const { rule, reading } = this.#rules;
    const found = await find(this.#whereForLookup());
    if (!found || !(await this.#isReadable(found.row))) return null;
    if (rule === reading || !(rule.isDecidedInMemory || rule.requirements.length > 0)) return found;
    const decision = await this.#evaluator.evaluate(rule, found.row);
    if (decision.isRowRefused) return null;
    if (!decision.allowed) throw denialError(decision);
    return found;
  }

  /** Builds the condition to look one record up with, which may leave something to decide on the row. */
  #whereForLookup(): Where {
    const { rule, reading } = this.#rules;
    if (reading === rule) return this.#conditions.whereForRow(rule.lookup);
    const operable = this.#conditions.whereForRow(rule.ungrantedLookup);
    return reading ? and(this.#conditions.whereForRow(reading.lookup), operable) : operable;
  }

  async #isReadable(row: EntityRow): Promise<boolean> {
    const { reading } = this.#rules;
    return !reading || !this.#conditions.isPartial(reading) || this.#evaluator.satisfies(reading, row);
  }

  async restrict(where: Where, fields: readonly string[] = []): Promise<Where> {
    const { rule, entity } = this.#rules;
    const rules = [rule, ...fields.flatMap((field) => entity.fieldRules.read.get(field) ?? [])];
    return and(...(await Promise.all(rules.map((each) => this.#conditions.whereForList(each)))), where);
  }

  visible(row: EntityRow): Promise<VisibleRow>;
  visible(rows: readonly EntityRow[]): Promise<readonly VisibleRow[]>;
  visible(given: EntityRow | readonly EntityRow[]): Promise<VisibleRow | readonly VisibleRow[]> {
    return isRowList(given) ? this.#fields.visibleEach(given) : this.#fields.visible(given);
  }

  writable(values?: EntityValues): Writable {
    const change = values && { values, rules: noRules };
    const toWhere = (): Where => this.#whereForWrite(change);
    const needsRecord = (): boolean => this.#needsRecord(values);
    // Found out on demand, because most callers need one of them.
    return {
      get where() {
        return toWhere();
      },
      get needsRecord() {
        return needsRecord();
      },
      on: (record) => this.#decideChange(record, values ?? {}),
    };
  }

  /** Builds the condition for the statement that writes one record. */
  #whereForWrite(change: FieldWrites | undefined): Where {
    const { rule, reading } = this.#rules;
    const permitted = this.#conditions.whereForRow(rule.predicate);
    const readable =
      reading === undefined || reading === rule ? permitted : this.#conditions.whereForRow(reading.predicate);
    if (!change) return and(readable, permitted);
    const ofFields = [...change.rules].map(({ predicate }) => this.#conditions.whereForRow(predicate));
    return and(readable, permitted, toPostCondition(permitted, change.values), ...ofFields);
  }

  /** Says whether that condition leaves something to decide on the record. */
  #needsRecord(values: EntityValues | undefined): boolean {
    const { rule, reading } = this.#rules;
    if (values && this.#fields.isWriteConditional(values)) return true;
    return this.#conditions.isPartial(rule) || (reading !== undefined && this.#conditions.isPartial(reading));
  }

  async #decideChange(record: SeenRecord, values: EntityValues): Promise<WritableChange> {
    const writes = await this.#fields.writable(record, values);
    if (Object.keys(writes.values).length > 0) await this.#authorizeChanged(record, writes.values);
    return this.#toChange(record, writes);
  }

  async #authorizeChanged({ row }: SeenRecord, values: EntityValues): Promise<void> {
    if (!(await this.#evaluator.satisfies(this.#rules.rule, { ...row, ...values }))) throw recordNotWritable();
  }

  #toChange(record: SeenRecord, writes: FieldWrites): WritableChange {
    return {
      values: writes.values,
      where: this.#whereForWrite(writes),
      confirm: async (values) => {
        await this.#authorizeChanged(record, values);
        return this.#toChange(record, { ...writes, values });
      },
    };
  }
}

const noRules: FieldWrites['rules'] = new Set();
