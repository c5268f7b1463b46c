import type { AccessDefinition } from '@x/access';
import type { Action } from './action.ts';
import type { CompiledAction } from './compiled-action.ts';

/** Actions of a service by their names. */
export type ServiceActions = Readonly<Record<string, Action>>;

/** A service as `defineService` returns it: validated, with its rules compiled, frozen. */
export interface Service<Name extends string = string, A extends ServiceActions = ServiceActions> {
  readonly name: Name;
  /** The declared actions. */
  readonly actions: A;
  readonly compiledActions: ReadonlyMap<string, CompiledAction>;
  /** The definition of the entitlements in its rules. */
  readonly definition: AccessDefinition | undefined;
}
