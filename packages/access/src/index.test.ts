import { expect, it } from 'vitest';

it('exports from the main entry exactly what apps use', async () => {
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

it('exports from the entry of access sets exactly what encodes and decodes them', async () => {
  expect(Object.keys(await import('./access-set.ts')).toSorted()).toEqual(['decodeAccessSet', 'encodeAccessSet']);
});

it('exports from the entry of rules exactly what enforces them', async () => {
  expect(Object.keys(await import('./rule.ts')).toSorted()).toEqual([
    'allowsAnonymous',
    'compileRule',
    'evaluateRule',
    'foldPredicate',
    'resourceTypeOf',
    'toDenialCode',
    'toRuleMeta',
    'toWhere',
  ]);
});

it('exports from the Hono entry exactly the middleware and its provider of contexts', async () => {
  expect(Object.keys(await import('./hono.ts')).toSorted()).toEqual(['createRequestAccess', 'requireEntitlement']);
});
