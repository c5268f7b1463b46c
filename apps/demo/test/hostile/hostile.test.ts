import { expect, it } from 'vitest';
import { findHarm } from './find-harm.ts';

it.each(['sqlite', 'postgres'] as const)(
  'answers a polite client beside hostile ones as always on %s, and is as before seconds later',
  { timeout: 180_000 },
  async (engine) => {
    expect(await findHarm(engine, { seconds: 3, accounts: 3, notes: 12, tasks: 1, comments: 40 })).toEqual([]);
  },
);
