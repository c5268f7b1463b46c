import type { Rule } from '@x/access';
import type { ParseRecordInput } from '../input/record-input.ts';
import type { Model } from '../model/model.ts';
import type { OperationRule } from '../rule/operation-rule.ts';
import type { EntityHooks } from './entity-hooks.ts';
import type { Operation } from './operation.ts';

/** Who may do what with the records of an entity: a rule for each operation, or `false` where nobody may. */
export interface AccessMap {
  readonly list: Rule | false;
  readonly get: Rule | false;
  readonly create: Rule | false;
  readonly update: Rule | false;
  readonly delete: Rule | false;
  /** Who may send several changes at once; each of them goes by the rule of its own operation as well. Default: `false`. */
  readonly bulk?: Rule | false;
}

/** An entity as `defineEntity` returns it: checked, its rules compiled, frozen. */
export interface Entity<M extends Model = Model> {
  readonly name: M['name'];
  readonly model: M;
  /** The rules of the operations that are exposed. */
  readonly rules: ReadonlyMap<Operation, OperationRule>;
  /** How many records a page may have. */
  readonly maxLimit: number;
  readonly hooks: EntityHooks<M>;
  readonly parseCreate: ParseRecordInput;
  readonly parseUpdate: ParseRecordInput;
  /** The fields that callers see. */
  readonly visibleFields: readonly string[];
}
