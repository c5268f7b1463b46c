import { computeAccessSet, createAccessAdmin, createAccessContext, defineAccess } from '@x/access';
import { createRequestAccess } from '@x/access/hono';
import { compileRule } from '@x/access/rule';
import { definition, rule, run, type Samples, stores } from './sample.ts';

const accessContext = createAccessContext({
  userId: null,
  definition,
  roleStore: stores.roleAssignments,
  closureStore: stores.hierarchy,
  orgResolver: run,
});
const accessAdmin = createAccessAdmin({ definition, stores });

const accessSources = {
  definition: run,
  now: run,
  roleStore: run,
  closureStore: run,
  flagStore: run,
  subscriptionStore: run,
  walletStore: run,
  tenantSnapshotStore: run,
};

const operator = { by: 'a', tenantId: 'a' };
const grant = { userId: 'a', groupId: undefined, resource: { type: 'team', id: 'a' }, role: 'lead' };
const membership = { tenantId: 'a', groupId: 'a', member: { userId: 'a' } };

export const accessSamples: Samples = {
  defineAccess: { options: { entities: [], entitlements: [], plans: [], defaultPlan: 'a' }, call: defineAccess },
  'defineAccess.entities': {
    options: { roles: [], inherits: [] },
    call: (team) => defineAccess({ entities: { team }, entitlements: {} }),
  },
  'defineAccess.entitlements': {
    options: { roles: [], flags: [], plans: [], rules: rule },
    call: (read) => defineAccess({ entities: {}, entitlements: { 'team:read': read } }),
  },
  'defineAccess.plans': {
    options: { group: 'base', features: [], limits: [], addOn: false },
    call: (plan) => defineAccess({ entities: {}, entitlements: {}, plans: { plan } }),
  },
  'defineAccess.plans of add-ons': {
    options: { addOn: true, features: [], limits: [], requires: { group: 'base', plans: [] } },
    call: (plan) => defineAccess({ entities: {}, entitlements: {}, plans: { plan } }),
  },
  'defineAccess.plans.limits': {
    options: { gates: 'team:read', per: 'day', max: 1 },
    call: (limit) =>
      defineAccess({ entities: {}, entitlements: {}, plans: { a: { group: 'a', features: [], limits: { limit } } } }),
  },
  createAccessContext: {
    options: { ...accessSources, userId: 'a', session: run, orgResolver: run, logger: run },
    call: createAccessContext,
  },
  'createAccessContext.canAll': {
    options: { entitlement: 'team:read', resource: [], row: [] },
    call: (check) => accessContext.canAll([check]),
  },
  'createAccessContext.checkAll': {
    options: { entitlement: 'team:read', resource: [], row: [] },
    call: (check) => accessContext.checkAll([check]),
  },
  'createAccessContext.consume': {
    options: { row: [], amount: 1, idempotencyKey: 'a' },
    call: (options) => accessContext.consume('team:read', undefined, options),
  },
  'createAccessContext.canAndConsume': {
    options: { row: [], amount: 1, idempotencyKey: 'a' },
    call: (options) => accessContext.canAndConsume('team:read', undefined, options),
  },
  'createAccessContext.unconsume': {
    options: { receipt: [], amount: 1 },
    call: (options) => accessContext.unconsume('team:read', undefined, options),
  },
  'createAccessContext.lookup': {
    options: { type: 'team', limit: 1, after: null },
    call: (options) => accessContext.lookup('a', 'team:read', options),
  },
  'createAccessContext.who': {
    options: { limit: 1, after: null },
    call: (options) => accessContext.who('team:read', { type: 'team', id: 'a' }, options),
  },
  computeAccessSet: {
    options: { ...accessSources, userId: 'a', session: run, tenantId: 'a' },
    call: computeAccessSet,
  },
  createRequestAccess: {
    options: { ...accessSources, orgResolver: run, logger: run, userIdOf: run },
    call: createRequestAccess,
  },
  createAccessAdmin: { options: { definition: run, stores: run, now: run, maxDepth: 1 }, call: createAccessAdmin },
  'createAccessAdmin.assign': { options: grant, call: (options) => accessAdmin.assign(options, operator) },
  'createAccessAdmin.assign by': { options: operator, call: (by) => accessAdmin.assign(grant as never, by) },
  'createAccessAdmin.revoke': { options: grant, call: (options) => accessAdmin.revoke(options, operator) },
  'createAccessAdmin.addMember': {
    options: membership,
    call: (given) => accessAdmin.addMember(given, operator),
  },
  'createAccessAdmin.addMember member': {
    options: { userId: 'a', groupId: undefined },
    call: (member) => accessAdmin.addMember({ ...membership, member }, operator),
  },
  'createAccessAdmin.removeMember': {
    options: membership,
    call: (given) => accessAdmin.removeMember(given, operator),
  },
  'createAccessAdmin.leaveGroups by': {
    options: { by: 'root' },
    call: (by) => accessAdmin.leaveGroups('a', 'a', by),
  },
  'createAccessAdmin.deleteGroup': {
    options: { tenantId: 'a', groupId: 'a' },
    call: (group) => accessAdmin.deleteGroup(group, operator),
  },
  'createAccessAdmin.move': {
    options: { from: { type: 'team', id: 'a' }, to: { type: 'team', id: 'b' } },
    call: (ends) => accessAdmin.move({ type: 'team', id: 'c' }, ends, operator),
  },
  'createAccessAdmin.assignPlan': {
    options: { startedAt: undefined, expiresAt: null },
    call: (terms) => accessAdmin.assignPlan('a', 'a' as never, operator, terms),
  },
  'createAccessAdmin.setOverrides': {
    options: { max: 1 },
    call: (override) => accessAdmin.setOverrides('a', { limit: override }, operator),
  },
  'createAccessAdmin.attachAddOn': {
    options: operator,
    call: (by) => accessAdmin.attachAddOn('a', 'a' as never, by),
  },
  'createAccessAdmin.detachAddOn': {
    options: operator,
    call: (by) => accessAdmin.detachAddOn('a', 'a' as never, by),
  },
  compileRule: {
    options: { fields: run, entitlements: run, resourceRoles: run },
    call: (options) => compileRule(rule, options, 'place'),
  },
};
