import { expect, test } from 'vitest';

test('the testing entry exports exactly these values', async () => {
  expect(Object.keys(await import('./testing.ts')).toSorted()).toEqual([
    'ManualClock',
    'describeEntityEvolution',
    'describeStores',
    'sampleEntities',
  ]);
});
