import { expect, it } from 'vitest';

it('the entry exports exactly these values', async () => {
  expect(Object.keys(await import('./index.ts'))).toEqual(['createMemoryStores']);
});
