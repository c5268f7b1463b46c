import type { AccessDefinition, Rule } from '@x/access';
import type { Action, RecordAction } from '../action/action.ts';
import type { CompiledAction } from '../action/compiled-action.ts';
import type { ParseRecordInput } from '../input/record-input.ts';
import type { Model } from '../model/model.ts';
import type { OperationRule } from '../rule/operation-rule.ts';
import type { EntityHooks } from './entity-hooks.ts';
import type { FieldRules } from './field-rules.ts';
import type { Operation } from './operation.ts';

/** Who may do what with the records of an entity: a rule for each operation, or `false` for nobody. */
export interface AccessMap {
  readonly list: Rule | false;
  readonly get: Rule | false;
  readonly create: Rule | false;
  readonly update: Rule | false;
  readonly delete: Rule | false;
  /** Who may send several changes at once; each change must also satisfy the rule of its own operation. Default: `false`. */
  readonly bulk?: Rule | false;
}

/** Makes each record a resource of the access definition, below the record that its model names as parent. */
export interface ResourceBinding<Type extends string = string, Role extends string = string> {
  readonly type: Type;
  /** The role that a record's creator gets on it. Default: none. */
  readonly creatorRole?: Role;
}

/** Actions of an entity by their names. */
export type EntityActions<M extends Model = Model> = Readonly<Record<string, Action | RecordAction<M>>>;

/** An entity as `defineEntity` returns it: checked, its rules compiled, frozen. */
export interface Entity<
  M extends Model = Model,
  A extends EntityActions = EntityActions,
  Recorded extends string = string,
> {
  readonly name: M['name'];
  readonly model: M;
  /** The rules of the operations that are exposed. */
  readonly rules: ReadonlyMap<Operation, OperationRule>;
  readonly fieldRules: FieldRules;
  /** What can be done beside the operations, as it was declared. */
  readonly actions: A;
  readonly compiledActions: ReadonlyMap<string, CompiledAction>;
  /** The field that holds the tenant of a record. */
  readonly tenant: string | undefined;
  /** What says what the entitlements and roles of its rules take. */
  readonly definition: AccessDefinition | undefined;
  readonly resource: ResourceBinding | undefined;
  /** The entitlements whose verdicts come with every record that is listed or got. */
  readonly recordAccess: readonly Recorded[];
  /** How many records a page may have. */
  readonly maxLimit: number;
  readonly hooks: EntityHooks<M>;
  readonly parseCreate: ParseRecordInput;
  readonly parseUpdate: ParseRecordInput;
  /** The fields that callers see, as far as no rule of a field keeps it from them. */
  readonly visibleFields: readonly string[];
}
