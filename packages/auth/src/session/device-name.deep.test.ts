import { measurePause } from '@x/test-support/measure';
import { expect, it } from 'vitest';
import { deviceName } from './device-name.ts';

it.each(['/ ', '(', 'A', 'a/', '/(', ' (', 'Mozilla/', 'Android ', 'like iPhone ', 'Nokia 1.'])(
  'takes no noticeable time for 512 characters of %j',
  async (piece) => {
    const { longestMs } = await measurePause(async () => {
      for (let times = 0; times < 10; times++) deviceName(`Mozilla/5.0 ${times}${piece.repeat(512)}`.slice(0, 512));
    });
    expect(longestMs).toBeLessThan(2000);
  },
);
