import { expect, it } from 'vitest';

it('exports from the main entry exactly what tests of stores use', async () => {
  expect(Object.keys(await import('./index.ts')).toSorted()).toEqual([
    'describeEntityEvolution',
    'describeEntityVersions',
    'describeEvolutionChains',
    'describeStores',
    'patient',
    'sampleEntities',
  ]);
});

it('exports from the entry of the clock exactly what tests of apps use', async () => {
  expect(Object.keys(await import('./clock.ts'))).toEqual(['ManualClock']);
});
