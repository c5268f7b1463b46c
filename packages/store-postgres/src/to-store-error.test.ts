import { inspect } from 'node:util';

import { describe, expect } from 'vitest';

import { test } from './testing/faulty-network.ts';

describe('an error of Postgres', () => {
  test('says nothing of the row that was refused', async ({ network }) => {
    const insert = `INSERT INTO auth_rate_limits (key, count, resets_at) VALUES ($1, $2, 1)`;
    await network.driver.write(insert, ['hunter2', 1]);
    const broken = await network.driver.write(insert, ['correct horse', 0]).catch((error: unknown) => error);
    expect(broken).toMatchObject({ code: '23514' });
    const taken = await network.driver.write(insert, ['hunter2', 1]).catch((error: unknown) => error);
    expect(taken).toMatchObject({ name: 'DuplicateKeyError' });
    for (const error of [broken, taken]) expect(inspect(error, { depth: 9 })).not.toMatch(/hunter2|correct horse/);
  });
});
