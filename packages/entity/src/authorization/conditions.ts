import type { FilteredRows, RuleCaller } from '@x/access';
import { type Predicate, toWhere } from '@x/access/rule';
import type { EntityValues } from '@x/store';
import { all, matches, none, not, type Where } from '@x/store/where';
import type { AuthorizationCall, ProtectedEntity, RuleContext } from './authorization.ts';
import { type Requirement, type OperationRule, toRequirementKey } from './operation-rule.ts';
import { type RequirementLocation, type ResourceColumn, locateRequirement } from './resource-columns.ts';

/** The part of a requirement that roles decide. */
interface RoleCondition {
  readonly where: Where;
  /** Whether the requirement depends on nothing else: no flag, plan, limit or rule. */
  readonly isWhole: boolean;
}

/** Builds the conditions that the rules of an entity put on its rows for one caller. */
export class RuleConditions {
  readonly #call: AuthorizationCall;
  readonly #caller: RuleCaller;
  readonly #entity: ProtectedEntity;
  /** By the keys of requirements; each is built once. */
  #ofRoles: Map<string, RoleCondition> | undefined;

  constructor({ call, caller, entity }: RuleContext) {
    this.#call = call;
    this.#caller = caller;
    this.#entity = entity;
  }

  /** Builds the condition for all rows that a rule allows. */
  async whereForList({ predicate, requirements }: OperationRule): Promise<Where> {
    if (requirements.length === 0 || this.#caller.userId === null) return this.#bind(predicate, () => none);
    const conditions = requirements.map(
      async (requirement) => [toRequirementKey(requirement), await this.#whereGranted(requirement)] as const,
    );
    const byKey = new Map(await Promise.all(conditions));
    return this.#bind(predicate, (requirement) => byKey.get(toRequirementKey(requirement)) ?? none);
  }

  async #whereGranted(requirement: Requirement): Promise<Where> {
    if (requirement.type === 'resourceRole') return this.#ofRole(requirement).where;
    const location = this.#locate(requirement);
    switch (location.type) {
      case 'column':
        return this.#call.access().filter(requirement.entitlement, toRows(location));
      case 'tenant':
        return (await this.#call.access().records.isAllowed(requirement.entitlement)) ? all : none;
      case 'nowhere':
        return none;
    }
  }

  /**
   * Builds the condition for one row that a predicate allows. Of entitlements it includes what roles decide; the rest
   * is left to a decision on the row, as {@link isPartial} says.
   */
  whereForRow(predicate: Predicate): Where {
    return this.#bind(predicate, (requirement) => this.#ofRole(requirement).where);
  }

  /** Says whether a row that satisfies the condition of a rule may still be denied. */
  isPartial({ isDecidedInMemory, requirements }: OperationRule): boolean {
    return isDecidedInMemory || requirements.some((requirement) => !this.#ofRole(requirement).isWhole);
  }

  #bind(predicate: Predicate, whereGranted: (requirement: Requirement) => Where): Where {
    return toWhere(predicate, {
      caller: this.#caller,
      now: this.#call.now,
      whereEntitled: (entitlement) => whereGranted({ type: 'entitlement', entitlement }),
      whereRole: (roles) => whereGranted({ type: 'resourceRole', roles }),
    });
  }

  #ofRole(requirement: Requirement): RoleCondition {
    const key = toRequirementKey(requirement);
    const known = this.#ofRoles?.get(key);
    if (known) return known;
    const condition = this.#toRoleCondition(requirement);
    this.#ofRoles = (this.#ofRoles ?? new Map<string, RoleCondition>()).set(key, condition);
    return condition;
  }

  #toRoleCondition(requirement: Requirement): RoleCondition {
    const location = this.#locate(requirement);
    if (location.type === 'nowhere') return { where: none, isWhole: true };
    if (location.type === 'tenant') return { where: all, isWhole: false };
    const { records } = this.#call.access();
    if (requirement.type === 'entitlement') return records.filterByRolesOf(requirement.entitlement, toRows(location));
    return { where: records.filterByRoles(requirement.roles, toRows(location)), isWhole: true };
  }

  #locate(requirement: Requirement): RequirementLocation {
    return locateRequirement(this.#call.context.resourceColumns.get(this.#entity.name), requirement);
  }
}

function toRows({ resourceType, column }: ResourceColumn): FilteredRows {
  return { type: resourceType, column };
}

/**
 * Converts a condition on the row after a change to one on the row before it: conditions on changed columns are decided
 * by their new values, and the rest is left to the statement, which sees the row at the very moment of the change. A
 * condition that no change touches is returned as it is.
 */
export function toPostCondition(where: Where, values: EntityValues): Where {
  switch (where.type) {
    case 'constant':
      return where;
    case 'and':
    case 'or': {
      const operands = where.operands.map((operand) => toPostCondition(operand, values));
      const isUntouched = operands.every((operand, index) => operand === where.operands[index]);
      return isUntouched ? where : { type: where.type, operands };
    }
    case 'not':
      return not(toPostCondition(where.operand, values));
    // Rules are about the row alone.
    case 'related':
      throw new TypeError('A rule has no condition on other rows.');
    // The caller's roles on other resources are not known here: such a change is decided on the new row beforehand.
    case 'granted':
      return Object.hasOwn(values, where.column) ? all : where;
    case 'compare':
    case 'in':
    case 'text':
    case 'caseless':
    case 'json':
    case 'isNull':
      return Object.hasOwn(values, where.column) ? (matches(where, values) ? all : none) : where;
  }
}
