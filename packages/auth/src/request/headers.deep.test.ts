import { measurePause } from '@x/test-support/measure';
import { expect, it } from 'vitest';
import { bearerToken } from './headers.ts';

it.each(['a', ' ', 'Bearer ', '=', 'a=', '.', '\t'])('takes no noticeable time for 1 MiB of %j', async (part) => {
  const { longestMs } = await measurePause(async () => {
    for (const end of ['', '!', '=', ' ']) {
      bearerToken(new Headers({ authorization: `Bearer ${part.repeat(2 ** 20 / part.length)}${end}` }));
    }
  });
  expect(longestMs).toBeLessThan(500);
});
