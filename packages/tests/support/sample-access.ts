import { type AccessDefinition, defineAccess } from '@x/access';
import type { AccessSetup } from '@x/server';

const model = {
  entities: {
    organization: { roles: ['owner', 'member'] },
    project: {
      roles: ['manager', 'viewer'],
      inherits: { 'organization:owner': 'manager', 'organization:member': 'viewer' },
    },
  },
  entitlements: {
    'organization:read': { roles: ['owner', 'member'] },
    'organization:manage': { roles: ['owner'] },
    'organization:create-project': { roles: ['owner'] },
    'project:read': { roles: ['manager', 'viewer'] },
    'project:export': { roles: ['manager'] },
  },
  plans: {
    free: {
      group: 'base',
      features: ['organization:create-project'],
      limits: { projects: { gates: 'organization:create-project', per: 'day', max: 1 } },
    },
    pro: { group: 'base', features: ['organization:create-project', 'project:export'] },
  },
} as const;

const definition: AccessDefinition<typeof model> = defineAccess(model);

/** Organizations with projects; the tenant of a resource is the organization above it. */
export const sampleAccess: AccessSetup<typeof model> = {
  definition,
  async orgResolver(resource, { ancestors, caller }) {
    if (!resource) return caller.tenantId === null ? null : { type: 'organization', id: caller.tenantId };
    return [resource, ...(await ancestors())].find(({ type }) => type === 'organization');
  },
};

/** A number of entitlements that every signed-in user has. */
export function manyEntitlements(count: number): AccessSetup {
  const names = Array.from({ length: count }, (_, index) => `thing:do-something-${String(index).padStart(4, '0')}`);
  return {
    definition: defineAccess({
      entities: { thing: { roles: ['owner'] } },
      entitlements: Object.fromEntries(names.map((name) => [name, { roles: [] }])),
    }),
    orgResolver: () => null,
  };
}
