import { type Awaitable, refuseUnknownOptions } from '@x/errors';
import type { Context, MiddlewareHandler } from 'hono';
import type { AccessContextFactory } from './context/access-context-factory.ts';
import type { AccessContext } from './context/access-context.ts';
import type { AccessModel, EntitlementName, ModelResource } from './definition/access-model.ts';
import { anonymous, type RuleCaller } from './rule/rules.ts';

/** Options of {@link createRequestAccess}. */
export interface RequestAccessOptions<Model extends AccessModel> {
  readonly contexts: AccessContextFactory<Model>;
  /** Returns who sent a request; null for an anonymous caller. */
  readonly callerOf: (c: Context) => Awaitable<RuleCaller | null>;
}

/** Provides the access context of requests. */
export interface RequestAccess<Model extends AccessModel> {
  /** Returns the request's one access context, which never reads anything twice. */
  contextOf(c: Context): Promise<AccessContext<Model>>;
}

/**
 * Creates the provider of access contexts that {@link requireEntitlement} takes.
 *
 * @throws ConfigurationError naming every unknown option
 */
export function createRequestAccess<Model extends AccessModel>(
  options: RequestAccessOptions<Model>,
): RequestAccess<Model> {
  refuseUnknownOptions(options, { contexts: true, callerOf: true });
  const { contexts, callerOf } = options;
  const opened = new WeakMap<Request, Promise<AccessContext<Model>>>();
  const open = async (c: Context): Promise<AccessContext<Model>> =>
    contexts.contextFor((await callerOf(c)) ?? anonymous);
  return {
    contextOf(c) {
      const known = opened.get(c.req.raw) ?? open(c);
      opened.set(c.req.raw, known);
      return known;
    },
  };
}

/** The variables that {@link requireEntitlement} sets on the context of a request. */
export interface AccessEnv<Model extends AccessModel> {
  Variables: { access: AccessContext<Model> };
}

/**
 * Requires an entitlement on the resource or, without `resourceOf`, on the caller's current tenant. Throws
 * `AuthorizationError` otherwise: 401 for an anonymous caller, else 403 with the reasons. Handlers get the access
 * context from `c.var.access`, including everything it has already read.
 *
 * @example
 * ```ts
 * const access = createRequestAccess({ contexts, callerOf });
 * const project = (c: Context) => ({ type: 'project' as const, id: c.req.param('id') ?? '' });
 * app.get('/projects/:id', requireEntitlement(access, 'project:read', project), (c) => c.text('Welcome.'));
 * ```
 */
export function requireEntitlement<Model extends AccessModel>(
  access: RequestAccess<Model>,
  entitlement: EntitlementName<Model>,
  resourceOf: (c: Context) => ModelResource<Model> | undefined = () => undefined,
): MiddlewareHandler<AccessEnv<Model>> {
  return async function checkEntitlement(c, next) {
    const context = await access.contextOf(c);
    await context.authorize(entitlement, resourceOf(c));
    c.set('access', context);
    await next();
  };
}
