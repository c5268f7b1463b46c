import { expect, it } from 'vitest';

it('exports exactly these values', async () => {
  expect(Object.keys(await import('./index.ts'))).toEqual(['createMemoryStores']);
});
