import { expect, it } from 'vitest';
import { definition } from '../../src/access/definition.ts';

const { entitlements, plans } = definition;

it('includes exports from pro on, reports in enterprise, and the rest in every plan', () => {
  const all = Object.keys(entitlements);
  expect(plans?.free.features.toSorted()).toEqual(
    all.filter((name) => name !== 'project:export' && name !== 'report:read').toSorted(),
  );
  expect(plans?.pro.features).toEqual([...(plans?.free.features ?? []), 'project:export']);
  expect(plans?.enterprise.features).toEqual([...(plans?.pro.features ?? []), 'report:read']);
});

it('limits projects and tasks of the smaller plans, and exports of the larger ones', () => {
  const limits = Object.entries(plans ?? {}).map(([name, plan]) => [name, maximaOf(plan)]);
  expect(Object.fromEntries(limits)).toEqual({
    free: { projects: 3, tasks: 50 },
    pro: { projects: 100, tasks: 1000, exports: 5 },
    enterprise: { exports: 100 },
    'extra-exports': { exports: 10 },
  });
});

function maximaOf({ limits }: { readonly limits: Readonly<Record<string, { readonly max: number }>> }): unknown {
  return Object.fromEntries(Object.entries(limits).map(([name, { max }]) => [name, max]));
}
