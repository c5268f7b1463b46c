import { defineAccess } from '@x/access';

/**
 * The access of the example: a workspace has folders, a folder has folders and documents, and a role on one of them
 * reaches what is in it.
 */
export const definition = defineAccess({
  entities: {
    workspace: { roles: ['owner'] },
    folder: {
      roles: ['editor', 'viewer'],
      inherits: { 'workspace:owner': 'editor', 'folder:editor': 'editor', 'folder:viewer': 'viewer' },
    },
    document: { roles: ['editor', 'viewer'], inherits: { 'folder:editor': 'editor', 'folder:viewer': 'viewer' } },
  },
  entitlements: {
    'workspace:manage': { roles: ['owner'] },
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
      group: 'base',
      features: ['folder:add-document'],
      limits: { documents: { gates: 'folder:add-document', per: 'month', max: 3 } },
    },
    team: {
      group: 'base',
      features: ['folder:add-document', 'folder:share'],
      limits: { documents: { gates: 'folder:add-document', per: 'month', max: 1000 } },
    },
  },
  defaultPlan: 'free',
});
