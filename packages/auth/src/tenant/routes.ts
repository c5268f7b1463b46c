import { z } from 'zod';
import { type AuthRoute, jsonResponse, type Serialized, withCookies } from '../request/route.ts';
import { signInResponse } from '../session/routes.ts';
import { listTenants, type OwnTenants, switchTenant, type TenantDependencies, tenantSwitchInput } from './tenant.ts';

/** The routes of tenants. */
export function tenantRoutes(user: z.ZodType): readonly AuthRoute<{ readonly tenants: TenantDependencies }>[] {
  return [
    {
      name: 'listTenants',
      method: 'get',
      path: '/tenants',
      summary: 'List your tenants',
      csrf: 'none',
      caller: 'user',
      response: jsonResponse('The tenants.', ownTenants),
      run: async (deps, request) => ({ body: await listTenants(deps.tenants, request) }),
    },
    {
      name: 'switchTenant',
      method: 'post',
      path: '/switch-tenant',
      summary: 'Switch to another tenant',
      description: 'The session stays the same; its older JWTs are refused.',
      csrf: 'unless-exempt',
      caller: 'session-owner',
      input: { schema: tenantSwitchInput },
      response: { ...signInResponse('Moved.', user, { tenantId: z.string() }), cookies: ['sid'] },
      errors: ['FORBIDDEN', 'RATE_LIMITED'],
      run: async (deps, request) => withCookies(await switchTenant(deps.tenants, request.input, request)),
    },
  ];
}

const ownTenants: z.ZodType<Serialized<OwnTenants>> = z.strictObject({
  tenants: z.array(z.strictObject({ id: z.string(), name: z.string() })),
  currentTenantId: z.string().nullable().describe('The tenant that the session is in.'),
});
