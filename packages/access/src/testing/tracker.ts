import { defineAccess, type AccessDefinition } from '../definition/define-access.ts';

/** The access model of the demo, without its plans. */
export const trackerModel = {
  entities: {
    organization: { roles: ['owner', 'admin', 'member'] },
    project: {
      roles: ['manager', 'contributor', 'viewer'],
      inherits: {
        'organization:owner': 'manager',
        'organization:admin': 'manager',
        'organization:member': 'viewer',
      },
    },
    task: {
      roles: ['editor', 'viewer'],
      inherits: { 'project:manager': 'editor', 'project:contributor': 'editor', 'project:viewer': 'viewer' },
    },
    report: { roles: ['analyst'], inherits: { 'organization:owner': 'analyst', 'organization:admin': 'analyst' } },
  },
  entitlements: {
    'organization:read': { roles: ['owner', 'admin', 'member'] },
    'organization:manage': { roles: ['owner', 'admin'] },
    'project:read': { roles: ['manager', 'contributor', 'viewer'] },
    'project:update': { roles: ['manager'] },
    'project:create-task': { roles: ['manager', 'contributor'] },
    'project:beta': { roles: [], flags: ['beta', 'gamma'] },
    'task:read': { roles: ['editor', 'viewer'] },
    'task:update': { roles: ['editor'] },
    'report:read': { roles: ['analyst'] },
    'report:any': { roles: [] },
  },
} as const;

export const tracker: AccessDefinition<typeof trackerModel> = defineAccess(trackerModel);
