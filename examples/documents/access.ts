import { defineAccess } from '@x/access';

/**
 * The access of the example: an organization has folders, a folder has folders and documents, and a role on one of them
 * reaches what is in it. Members see what was shared with them, owners everything.
 */
export const definition = defineAccess({
  entities: {
    organization: { roles: ['owner', 'member'] },
    folder: {
      roles: ['editor', 'viewer'],
      inherits: { 'organization:owner': 'editor', 'folder:editor': 'editor', 'folder:viewer': 'viewer' },
    },
    document: { roles: ['editor', 'viewer'], inherits: ['folder'] },
  },
  entitlements: {
    'organization:read': { roles: ['owner', 'member'] },
    'organization:manage': { roles: ['owner'] },
    'organization:invite': { roles: ['owner'] },
    'folder:read': { roles: ['editor', 'viewer'] },
    'folder:write': { roles: ['editor'] },
    'folder:share': { roles: ['editor'] }, // for which plans `plans` says
    'folder:add-folder': { roles: ['editor'] },
    'folder:add-document': { roles: ['editor'] },
    'document:read': { roles: ['editor', 'viewer'] },
    'document:write': { roles: ['editor'] },
  },
  plans: {
    free: {
      features: ['folder:add-document'],
      limits: { documents: { gates: 'folder:add-document', per: 'month', max: 3 } },
    },
    team: {
      features: ['folder:add-document', 'folder:share'],
      limits: { documents: { gates: 'folder:add-document', per: 'month', max: 1000 } },
    },
  },
  defaultPlan: 'free',
});
