import { expect, it } from 'vitest';
import { findHarm } from './find-harm.ts';

it.each(['sqlite', 'postgres'] as const)(
  'answers a polite client beside hostile ones as always for five minutes on %s, and is as before seconds later',
  { timeout: 900_000 },
  async (engine) => {
    expect(await findHarm(engine, { seconds: 300, accounts: 6, notes: 90, tasks: 5, comments: 100 })).toEqual([]);
  },
);
