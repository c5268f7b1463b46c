import { expect, it } from 'vitest';
import { withTimeLimit } from './time-limits.ts';

it('settles as work that ends in time does', async () => {
  expect(await withTimeLimit(20_000, async () => 'done')).toBe('done');
  expect(await withTimeLimit(Infinity, async () => 'done')).toBe('done');
  const failing = withTimeLimit(20_000, async () => {
    throw new RangeError('no');
  });
  await expect(failing).rejects.toThrow(RangeError);
});

it('rejects work that takes longer with SERVICE_UNAVAILABLE, and ignores its later outcome', async () => {
  const blocked = Promise.withResolvers<void>();
  await expect(withTimeLimit(5, () => blocked.promise)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  blocked.reject(new RangeError('no'));
});
