import { z } from 'zod';
import type { OwnTenants } from '../tenant/tenants.ts';
import { tenantSwitchInput } from '../tenant/switch.ts';
import { ofSession, shown, signedIn, type Wire } from './answers.ts';
import type { AuthRoute } from './auth-route.ts';

const ownTenants: z.ZodType<Wire<OwnTenants>> = z.strictObject({
  tenants: z.array(z.strictObject({ id: z.string(), name: z.string() })),
  currentTenantId: z.string().nullable().describe('The tenant that the session is in.'),
});

/** Describes the routes of tenants. */
export function tenantRoutes(user: z.ZodType): readonly AuthRoute[] {
  return [
    {
      name: 'listTenants',
      method: 'get',
      path: '/tenants',
      summary: 'List your tenants',
      proof: 'none',
      caller: 'user',
      response: shown('The tenants.', ownTenants),
    },
    {
      name: 'switchTenant',
      method: 'post',
      path: '/switch-tenant',
      summary: 'Switch to another tenant',
      description: 'The session stays the same; its older JWTs are refused.',
      proof: 'page-or-bearer',
      caller: 'user',
      input: { schema: tenantSwitchInput },
      response: {
        status: 200,
        description: 'Moved.',
        schema: signedIn(user, { tenantId: z.string() }),
        cookies: ofSession,
      },
      errors: ['FORBIDDEN'],
    },
  ];
}
