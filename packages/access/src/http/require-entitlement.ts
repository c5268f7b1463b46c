import type { Context, MiddlewareHandler } from 'hono';
import type { AccessContext } from '../context/access-context.ts';
import type { AccessModel, EntitlementName, ModelResource } from '../definition/access-model.ts';
import type { RequestAccess } from './request-access.ts';

/** What {@link requireEntitlement} sets on the context of a request. */
export interface AccessEnv<Model extends AccessModel> {
  Variables: { access: AccessContext<Model> };
}

/**
 * Requires an entitlement on the resource or, without `resourceOf`, on the caller's current tenant. Throws
 * `AuthorizationError` otherwise: 401 if nobody is signed in, else 403 with the reasons. Handlers get the access
 * context from `c.var.access`, including everything it has already read.
 *
 * @example
 * ```ts
 * const access = createRequestAccess({ definition, roleStore, closureStore, orgResolver, userIdOf });
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
