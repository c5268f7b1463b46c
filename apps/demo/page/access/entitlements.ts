import type { definition } from '../../src/access/definition.ts';

/** What can be allowed in Tracker, in the order in which it is offered. */
export const entitlements: readonly (keyof (typeof definition)['entitlements'])[] = [
  'organization:read',
  'organization:manage',
  'organization:invite',
  'organization:create-project',
  'project:read',
  'project:update',
  'project:delete',
  'project:create-task',
  'project:export',
  'task:read',
  'task:update',
  'task:delete',
  'report:read',
];
