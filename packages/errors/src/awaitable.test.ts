import { describe, expect, it } from 'vitest';
import { allAwaitable, mapAwaitable } from './awaitable.ts';

describe('mapAwaitable', () => {
  it('continues at once with a value that is available', () => {
    expect(mapAwaitable(1, (value) => value + 1)).toBe(2);
  });

  it('continues with a value once it arrives', async () => {
    const mapped = mapAwaitable(Promise.resolve(1), (value) => value + 1);
    expect(mapped).toBeInstanceOf(Promise);
    expect(await mapped).toBe(2);
  });
});

describe('allAwaitable', () => {
  it('returns the same array if all values are available', () => {
    const values = [1, 2];
    expect(allAwaitable(values)).toBe(values);
  });

  it('joins values in their order once all have arrived', async () => {
    const joined = allAwaitable([Promise.resolve(1), 2]);
    expect(joined).toBeInstanceOf(Promise);
    expect(await joined).toEqual([1, 2]);
  });
});
