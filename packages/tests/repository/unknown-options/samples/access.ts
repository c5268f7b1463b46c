import { createAccessAdmin, createAccessContextFactory, defineAccess } from '@x/access';
import { createRequestAccess } from '@x/access/hono';
import { rule, run, type Samples } from './sample.ts';

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
    options: { addOn: true, features: [], limits: [], requires: undefined },
    call: (plan) => defineAccess({ entities: {}, entitlements: {}, plans: { plan } }),
  },
  'defineAccess.plans.limits': {
    options: { gates: 'team:read', per: 'day', max: 1 },
    call: (limit) =>
      defineAccess({ entities: {}, entitlements: {}, plans: { a: { group: 'a', features: [], limits: { limit } } } }),
  },
  createRequestAccess: {
    options: { contexts: run, callerOf: run },
    call: createRequestAccess,
  },
  createAccessContextFactory: {
    options: { definition: run, stores: run, orgResolver: run, logger: run },
    call: createAccessContextFactory,
  },
  createAccessAdmin: { options: { definition: run, stores: run, now: run, maxDepth: 1 }, call: createAccessAdmin },
};
