import type { OperationRule } from '../authorization/operation-rule.ts';
import type { Action, RecordAction } from './action.ts';

/** An action of an entity or a service, validated, with its rule compiled. */
export interface CompiledAction {
  /** The entity or service that has it. */
  readonly owner: string;
  readonly name: string;
  /** The last segment of its path. */
  readonly path: string;
  readonly action: Action | RecordAction;
  readonly rule: OperationRule;
}
