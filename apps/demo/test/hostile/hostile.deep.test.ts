import { expect, it } from 'vitest';
import { findHarm } from './find-harm.ts';

it.each(['sqlite', 'postgres'] as const)(
  'answers a polite client beside hostile ones with large tables as always on %s, and is as before seconds later',
  { timeout: 180_000 },
  async (engine) => {
    expect(await findHarm(engine, { seconds: 15, accounts: 5, notes: 30, tasks: 1, comments: 100 })).toEqual([]);
  },
);
