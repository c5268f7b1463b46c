import type { AccessDefinition } from '@x/access';
import { ConfigurationError, findUnknownOptions } from '@x/errors';
import { compileOperationRule } from '../authorization/operation-rule.ts';
import type { AnyAction } from './action.ts';
import { compileActions, type CompiledAction } from './compile-actions.ts';

/** Actions of a service by their names. */
export type ServiceActions = Readonly<Record<string, AnyAction>>;

/** A service as `defineService` returns it: validated, with its rules compiled, frozen. */
export interface Service<Name extends string = string, A extends ServiceActions = ServiceActions> {
  readonly name: Name;
  /** The declared actions. */
  readonly actions: A;
  readonly compiledActions: ReadonlyMap<string, CompiledAction>;
  /** The definition of the entitlements in its rules. */
  readonly definition: AccessDefinition | undefined;
}

/** The declaration that `defineService` takes. */
export interface ServiceDeclaration<Name extends string, A extends ServiceActions> {
  /** The first segment of its paths. */
  readonly name: Name;
  readonly actions: A;
  /** Defines the entitlements; required if rules name any. */
  readonly definition?: AccessDefinition;
}

/**
 * Defines a service: actions that belong to no entity. Each becomes `POST /api/<service>/<action>`, unless it declares
 * another method or path.
 *
 * @throws ConfigurationError with every problem, unknown options included
 * @example
 * ```ts
 * const clock = defineService({
 *   name: 'clock',
 *   actions: { now: action({ rule: rules.public, handler: ({ now }) => ({ now: now.toISOString() }) }) },
 * });
 * ```
 */
export function defineService<const Name extends string, const A extends ServiceActions>(
  declaration: ServiceDeclaration<Name, A>,
): Service<Name, A> {
  const { name, actions, definition } = declaration;
  const { compiled, problems } = compileActions({
    owner: name,
    actions,
    takenPaths: new Set(),
    isPathFree: true,
    compileRule: ({ rule }, place) => compileOperationRule(rule, { model: null, definition }, place),
  });
  const all = [
    ...findUnknownOptions(declaration, { name, actions, definition }, name),
    ...(namePattern.test(name) ? [] : [`${name}: the name of a service must match ${namePattern}.`]),
    ...problems,
  ];
  if (all.length > 0) throw new ConfigurationError(all);
  return Object.freeze({ name, actions, compiledActions: compiled, definition });
}

const namePattern = /^[a-z][a-z0-9-]{0,39}$/;
