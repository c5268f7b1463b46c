import { matches } from '@x/store/where';
import { expect, it } from 'vitest';
import { filterCases, filterRows } from './filter-cases.ts';

it.for(filterCases)('agrees with the public filter case $name', ({ where, expected }) => {
  const ids = filterRows.filter((each) => matches(where, each)).map(({ id }) => id);
  expect(ids.toSorted()).toEqual(expected.toSorted());
});

it('knows every public filter case', () => {
  expect(filterCases).toHaveLength(44);
});
