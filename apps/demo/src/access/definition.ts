import { defineAccess } from '@x/access';

const free = [
  'organization:read',
  'organization:manage',
  'organization:invite',
  'organization:create-project',
  'project:read',
  'project:update',
  'project:delete',
  'project:create-task',
  'task:read',
  'task:update',
  'task:delete',
] as const;

const pro = [...free, 'project:export'] as const;

const enterprise = [...pro, 'report:read'] as const;

/** The access rules of Tracker; the tenant of each resource is its organization. */
export const definition = defineAccess({
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
    'organization:invite': { roles: ['owner', 'admin'] },
    'organization:create-project': { roles: ['owner', 'admin'] },
    'project:read': { roles: ['manager', 'contributor', 'viewer'] },
    'project:update': { roles: ['manager'] },
    'project:delete': { roles: ['manager'] },
    'project:create-task': { roles: ['manager', 'contributor'] },
    'project:export': { roles: ['manager'], plans: ['pro', 'enterprise'] },
    'task:read': { roles: ['editor', 'viewer'] },
    'task:update': { roles: ['editor'] },
    'task:delete': { roles: ['editor'] },
    'report:read': { roles: ['analyst'], plans: ['enterprise'] },
  },
  plans: {
    free: {
      group: 'base',
      features: free,
      limits: {
        projects: { gates: 'organization:create-project', per: 'month', max: 3 },
        tasks: { gates: 'project:create-task', per: 'day', max: 50 },
      },
    },
    pro: {
      group: 'base',
      features: pro,
      limits: {
        projects: { gates: 'organization:create-project', per: 'month', max: 100 },
        tasks: { gates: 'project:create-task', per: 'day', max: 1000 },
        exports: { gates: 'project:export', per: 'day', max: 5 },
      },
    },
    enterprise: {
      group: 'base',
      features: enterprise,
      // Projects and tasks are not limited.
      limits: { exports: { gates: 'project:export', per: 'day', max: 100 } },
    },
    'extra-exports': {
      addOn: true,
      requires: { group: 'base', plans: ['pro'] },
      limits: { exports: { gates: 'project:export', per: 'day', max: 10 } },
    },
  },
  defaultPlan: 'free',
});
