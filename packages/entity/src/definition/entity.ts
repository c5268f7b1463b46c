import type { AccessDefinition, Rule } from '@x/access';
import type { Action, RecordAction } from '../action/action.ts';
import type { CompiledAction } from '../action/compiled-action.ts';
import type { ParseRecordInput } from '../model/record-input.ts';
import type { Model } from '../model/model.ts';
import type { OperationRule } from '../authorization/operation-rule.ts';
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

/** An entity as `defineEntity` returns it: validated, with its rules compiled, frozen. */
export interface Entity<
  M extends Model = Model,
  A extends EntityActions = EntityActions,
  Recorded extends string = string,
> {
  readonly name: M['name'];
  readonly model: M;
  /** The rules of the exposed operations. */
  readonly rules: ReadonlyMap<Operation, OperationRule>;
  readonly fieldRules: FieldRules;
  /** The declared actions. */
  readonly actions: A;
  readonly compiledActions: ReadonlyMap<string, CompiledAction>;
  /** The field with the tenant of a record. */
  readonly tenant: string | undefined;
  /** The definition of the entitlements and roles in its rules. */
  readonly definition: AccessDefinition | undefined;
  readonly resource: ResourceBinding | undefined;
  /** The entitlements whose checks are included in every listed or fetched record. */
  readonly recordAccess: readonly Recorded[];
  /** The most records that a page may have. */
  readonly maxLimit: number;
  readonly hooks: EntityHooks<M>;
  readonly parseCreate: ParseRecordInput;
  readonly parseUpdate: ParseRecordInput;
  /** The fields that callers see, unless the rule of a field hides it. */
  readonly visibleFields: readonly string[];
}
