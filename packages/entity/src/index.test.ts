import { expect, it } from 'vitest';
import * as hono from './hono.ts';
import * as entity from './index.ts';

it('exports what is documented and nothing else', () => {
  expect(Object.keys(entity).toSorted()).toEqual([
    'action',
    'assertUnchanged',
    'belongsTo',
    'createCreateParser',
    'createEntities',
    'createUpdateParser',
    'defineEntity',
    'defineModel',
    'defineService',
    'field',
    'findResourceColumns',
    'hasMany',
    'parseListQuery',
    'recordAction',
    'toEntityTables',
    'toListCursor',
    'toMaxTextLength',
    'toNewRecord',
    'toQueryObject',
  ]);
  expect(Object.keys(hono)).toEqual(['addEntityRoutes']);
});
