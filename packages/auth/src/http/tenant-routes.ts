import { readJson, renderJson } from '@x/http';
import type { Handler } from 'hono';
import { listTenants } from '../tenant/tenants.ts';
import { switchTenant } from '../tenant/switch.ts';
import type { RouteParts } from './route-parts.ts';

/** `GET /tenants` */
export function listTenantsRoute({ auth, requestContext }: RouteParts): Handler {
  return async (c) => renderJson(c, await listTenants(auth, requestContext(c)));
}

/** `POST /switch-tenant` */
export function switchTenantRoute({ auth, bodyLimit, requestContext }: RouteParts): Handler {
  return async (c) => {
    const input = await readJson(c, bodyLimit);
    const { cookies, ...switched } = await switchTenant(auth, input, requestContext(c));
    return renderJson(c, switched, { cookies });
  };
}
