import { expect, it } from 'vitest';

it('the entries export exactly these values', async () => {
  expect(Object.keys(await import('./index.ts')).toSorted()).toEqual([
    'AuthorizationError',
    'allowsAnonymous',
    'anonymous',
    'compileRule',
    'computeAccessSet',
    'computeEntityAccess',
    'createAccessAdmin',
    'createAccessContext',
    'defineAccess',
    'describeRule',
    'evaluateRule',
    'foldPredicate',
    'hashAccessSet',
    'resourceTypeOf',
    'rules',
    'toCheckKey',
    'toDenialCode',
    'toRuleMeta',
    'toWhere',
  ]);
  expect(Object.keys(await import('./hono.ts')).toSorted()).toEqual(['createRequestAccess', 'requireEntitlement']);
});
