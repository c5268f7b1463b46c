import { expect, it } from 'vitest';

it('exports from the main entry exactly the names that apps use', async () => {
  expect(Object.keys(await import('./index.ts')).toSorted()).toEqual([
    'AuthorizationError',
    'anonymous',
    'computeAccessSet',
    'computeEntityAccess',
    'createAccessAdmin',
    'createAccessContext',
    'createAccessContextFactory',
    'defineAccess',
    'hashAccessSet',
    'rules',
  ]);
});

it('exports from the entry of access sets exactly the functions that encode and decode them', async () => {
  expect(Object.keys(await import('./access-set.ts')).toSorted()).toEqual(['decodeAccessSet', 'encodeAccessSet']);
});

it('exports from the entry of rules exactly the functions that enforce them', async () => {
  expect(Object.keys(await import('./rule.ts')).toSorted()).toEqual([
    'allowsAnonymous',
    'compileRule',
    'evaluateRule',
    'foldPredicate',
    'leafSubjects',
    'resourceTypeOf',
    'toDenialCode',
    'toRuleMeta',
    'toWhere',
  ]);
});

it('exports from the Hono entry exactly the middleware and its provider of contexts', async () => {
  expect(Object.keys(await import('./hono.ts')).toSorted()).toEqual(['createRequestAccess', 'requireEntitlement']);
});
