import { ConfigurationError } from '@x/errors';
import type { AccessModel, CoherentModel } from './access-model.ts';
import { compileAccess, type CompiledAccess } from './compile-access.ts';
import { findProblems } from './find-problems.ts';

/** A model that has been validated. Deeply frozen. */
export interface AccessDefinition<Model extends AccessModel = AccessModel> {
  readonly entities: Model['entities'];
  readonly entitlements: Model['entitlements'];
  readonly plans?: Model['plans'];
  readonly defaultPlan?: string;
}

/**
 * Defines the access rules of an app. Names that the model does not define are compile errors, here and wherever the
 * definition is used.
 *
 * @throws ConfigurationError that lists every problem of the model with its place
 *
 * @example
 * ```ts
 * const definition = defineAccess({
 *   entities: {
 *     organization: { roles: ['owner', 'member'] },
 *     project: { roles: ['manager', 'viewer'], inherits: { 'organization:owner': 'manager' } },
 *   },
 *   entitlements: {
 *     'project:read': { roles: ['manager', 'viewer'] },
 *     'project:update': { roles: ['manager'] },
 *   },
 * });
 * ```
 */
export function defineAccess<const Model extends AccessModel>(
  model: Model & CoherentModel<NoInfer<Model>>,
): AccessDefinition<Model> {
  const problems = findProblems(model);
  if (problems.length > 0) throw new ConfigurationError(problems);
  const copy = copyFrozen<Model>(model);
  compiled.set(copy, compileAccess(copy));
  return copy;
}

/** Returns the result of compiling a definition when it was created, so that only validated definitions can be used. */
export function compiledOf(definition: AccessDefinition): CompiledAccess {
  const access = compiled.get(definition);
  if (!access) throw new TypeError('The definition must be one that defineAccess returned.');
  return access;
}

const compiled = new WeakMap<AccessDefinition, CompiledAccess>();

/** Copies plain data, so that later changes by the caller have no effect. */
function copyFrozen<Data>(data: Data): Data {
  if (typeof data !== 'object' || data === null) return data;
  const copy: unknown = Array.isArray(data)
    ? data.map(copyFrozen)
    : Object.fromEntries(Object.entries(data).map(([name, value]) => [name, copyFrozen(value)]));
  return Object.freeze(copy) as Data;
}
