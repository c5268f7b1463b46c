import { type AccessDefinition, defineAccess } from '@x/access';

/** What owners, admins and members of organizations may do in an app that declares nothing else. */
const model = {
  entities: { organization: { roles: ['owner', 'admin', 'member'] } },
  entitlements: {
    'organization:read': { roles: ['owner', 'admin', 'member'] },
    'organization:manage': { roles: ['owner', 'admin'] },
    'organization:invite': { roles: ['owner', 'admin'] },
  },
} as const;

/** The type of {@link memberAccess}. */
export type MemberAccess = typeof model;

/** The definition of organizations for which an app gives none. */
export const memberAccess: AccessDefinition<MemberAccess> = defineAccess(model);
