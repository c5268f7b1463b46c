import type { AccessDefinition } from '@x/access';
import type { Action } from '../action/action.ts';
import type { CompiledAction } from '../action/compiled-action.ts';

/** Actions of a service by their names. */
export type ServiceActions = Readonly<Record<string, Action>>;

/** A service as `defineService` returns it: checked, its rules compiled, frozen. */
export interface Service<Name extends string = string, A extends ServiceActions = ServiceActions> {
  readonly name: Name;
  /** What it can do, as it was declared. */
  readonly actions: A;
  readonly compiledActions: ReadonlyMap<string, CompiledAction>;
  /** What says what the entitlements of its rules take. */
  readonly definition: AccessDefinition | undefined;
}
