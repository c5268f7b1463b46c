import { defineAccess } from '@x/access';
import { createOrganizations } from '@x/organizations';
import { run, type Samples } from './sample.ts';

/** A definition with what organizations need. */
export const definition: ReturnType<typeof defineAccess> = defineAccess({
  entities: { organization: { roles: ['owner'] } },
  entitlements: {
    'organization:read': { roles: ['owner'] },
    'organization:manage': { roles: ['owner'] },
    'organization:invite': { roles: ['owner'] },
  },
});

/** Those of organizations. */
export const organizationSamples: Samples = {
  createOrganizations: {
    options: {
      definition,
      type: 'organization',
      roles: { assignable: ['owner'], owner: 'owner' },
      invitations: { accept: 'always', ttlMs: 1000, onSend: run },
      personal: run,
      fields: undefined,
    },
    call: createOrganizations,
  },
};
