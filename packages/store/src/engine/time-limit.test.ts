import { expect, test } from 'vitest';
import { withTimeLimit } from './mutex.ts';

test('work that ends in time settles as it does', async () => {
  expect(await withTimeLimit(20_000, async () => 'done')).toBe('done');
  expect(await withTimeLimit(Infinity, async () => 'done')).toBe('done');
  const failing = withTimeLimit(20_000, async () => {
    throw new RangeError('no');
  });
  await expect(failing).rejects.toThrow(RangeError);
});

test("work that takes longer is SERVICE_UNAVAILABLE, and how it ends later is nobody's concern", async () => {
  const held = Promise.withResolvers<void>();
  await expect(withTimeLimit(5, () => held.promise)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  held.reject(new RangeError('no'));
});
