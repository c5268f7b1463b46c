import type { AccessDefinition, Rule } from '@x/access';
import type { AnyAction, AnyRecordAction } from '../action/action.ts';
import type { CompiledAction } from '../action/compile-actions.ts';
import type { Operation } from '../authorization/authorization.ts';
import type { FieldRules, OperationRule } from '../authorization/operation-rule.ts';
import type { Model } from '../model/model.ts';
import type { ParseRecordInput } from '../model/record-input.ts';
import type { EntityHooks } from './entity-hooks.ts';

/** The access to the records of an entity: a rule for each operation, or `false` for no access. */
export interface AccessMap {
  readonly list: Rule | false;
  readonly get: Rule | false;
  readonly create: Rule | false;
  readonly update: Rule | false;
  readonly delete: Rule | false;
  /**
   * Who may send several changes at once; each change must also satisfy the rule of its own operation. Default:
   * `false`.
   */
  readonly bulk?: Rule | false;
  /** Who may export all records that they may list, as lines of JSON. Default: `false`. */
  readonly export?: Rule | false;
  /**
   * Who may create records from lines of JSON, with ids of their choice; each line must also satisfy the rule of
   * `create`. Default: `false`.
   */
  readonly import?: Rule | false;
}

/** Makes each record a resource of the access definition, below the record that its model names as parent. */
export interface ResourceBinding<Type extends string = string, Role extends string = string> {
  readonly type: Type;
  /** The role that a record's creator gets on it. Default: none. */
  readonly creatorRole?: Role;
}

/** Actions of an entity by their names. */
export type EntityActions<M extends Model = Model> = Readonly<Record<string, AnyAction | AnyRecordAction<M>>>;

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
  /** The most bytes that the records of a page take as JSON. */
  readonly maxPageBytes: number;
  readonly hooks: EntityHooks<M>;
  readonly parseCreate: ParseRecordInput;
  readonly parseUpdate: ParseRecordInput;
  /** The fields that some caller does not see in some record: hidden ones, and those with a rule for reading. */
  readonly secretFields: ReadonlySet<string>;
  /** The fields that callers see, unless the rule of a field hides it. */
  readonly visibleFields: readonly string[];
}

/** Who may read and write one field, among those who may read and write the record. Without a rule, all of them. */
export interface FieldAccess {
  /**
   * Who may read it. For others, the record does not have the field, and queries can't refer to it. `false` allows no
   * caller.
   */
  readonly read?: Rule | false;
  /**
   * Who may write it: decided on the new record when creating, and on the record before the change when updating.
   * `false` allows no caller.
   */
  readonly write?: Rule | false;
}

/** Rules of single fields, by the names of these. */
export type FieldAccessMap<M extends Model = Model> = { readonly [Name in keyof M['fields'] & string]?: FieldAccess };

/** Refuses names that are not fields, which type inference from the value would otherwise accept. */
export type KnownFields<M extends Model, F> = { readonly [Name in Exclude<keyof F, keyof M['fields']>]: never };

/** The names of the fields with a read rule. */
export type ReadGuarded<F> = { [Name in keyof F & string]: 'read' extends keyof F[Name] ? Name : never }[keyof F &
  string];
