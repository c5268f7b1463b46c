import { expect, it } from 'vitest';
import * as hono from './hono.ts';
import * as entity from './index.ts';

it('exports the documented names and no others', () => {
  expect(Object.keys(entity).toSorted()).toEqual([
    'action',
    'aggregateTypes',
    'belongsTo',
    'createEntities',
    'defineEntity',
    'defineModel',
    'defineService',
    'endpointsOf',
    'endpointsOfService',
    'field',
    'findResourceColumns',
    'from',
    'hasMany',
    'isMovable',
    'recordAction',
    'toEntityTables',
    'toMaxTextLength',
  ]);
  expect(Object.keys(hono)).toEqual(['addEntityRoutes']);
});
