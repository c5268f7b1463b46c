import type { EntityRow, EntityValues } from '@x/store';
import type { CreateAuthorization, NewRecordPermit, VisibleRow } from './authorization.ts';
import type { CallerRules } from './caller-authorization.ts';
import { denialError, recordNotWritable } from './errors.ts';
import { FieldAuthorization } from './field-authorization.ts';
import { type EntitlementRequirement, toRequirementKey } from './operation-rule.ts';
import { type Granted, RuleEvaluator } from './rule-evaluator.ts';

/** A record that moves, as it was before. */
export interface MovedRecord {
  readonly row: EntityRow;
  /** Whether it stays in its tenant, where it counts already. */
  readonly staysInTenant: boolean;
}

/**
 * The authorization of a caller to create records, or to move one to where it would be created, which the rules of the
 * entity apply to.
 */
export class NewRecordAuthorization implements CreateAuthorization {
  readonly #rules: Omit<CallerRules, 'reading'>;
  readonly #moved: MovedRecord | null;
  readonly #evaluator: RuleEvaluator;
  readonly #fields: FieldAuthorization;

  constructor(rules: Omit<CallerRules, 'reading'>, moved: MovedRecord | null = null) {
    this.#rules = rules;
    this.#moved = moved;
    this.#evaluator = new RuleEvaluator(rules, moved?.staysInTenant ? 'moved' : 'new');
    this.#fields = new FieldAuthorization(rules, this.#evaluator);
  }

  get mayConsume(): boolean {
    return this.#rules.rule.requirements.some(({ type }) => type === 'entitlement');
  }

  visible(row: EntityRow): Promise<VisibleRow> {
    return this.#fields.visible(row);
  }

  async authorize(row: EntityRow, chosen: EntityValues): Promise<NewRecordPermit> {
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
        if (this.#moved?.staysInTenant) return;
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
    const access = this.#rules.call.access();
    const { allowed, reasons, meta } = await access.consume(requirement.entitlement, target.resource, options);
    if (!allowed) throw denialError({ reasons, meta: meta ?? {} });
    if (this.#moved) await this.#giveBack(requirement, this.#moved);
  }

  /** Gives back what a record that moves away consumed at its old place when it was created. */
  async #giveBack(requirement: EntitlementRequirement, { row }: MovedRecord): Promise<void> {
    const origin = this.#evaluator.findTarget(requirement, row);
    const { createdAt: consumedAt } = row;
    if (!origin || !(consumedAt instanceof Date)) return;
    await this.#rules.call.access().unconsume(requirement.entitlement, origin.resource, { consumedAt });
  }
}
