import { describe, expect, it } from 'vitest';
import { findHarm } from './find-harm.ts';

const sizes = {
  'for seconds': { seconds: 6, accounts: 3, notes: 12, tasks: 1, comments: 40 },
  'for five minutes with large tables': { seconds: 300, accounts: 5, notes: 30, tasks: 1, comments: 100 },
};

describe.each(Object.entries(sizes))('beside hostile clients %s', (_name, size) => {
  it.each(['sqlite', 'postgres'] as const)(
    'a polite one is answered as always on %s, and all is as before seconds later',
    { timeout: 600_000 },
    async (engine) => {
      expect(await findHarm(engine, size)).toEqual([]);
    },
  );
});
