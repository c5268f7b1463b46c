import type { definition } from '../../src/access/definition.ts';

/** The name of something that can be allowed in Tracker. */
export type Entitlement = keyof (typeof definition)['entitlements'];

/** All of them, in the order in which they are offered. */
export const entitlements: readonly Entitlement[] = [
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
