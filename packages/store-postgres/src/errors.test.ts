import { inspect } from 'node:util';

import { expect } from 'vitest';

import { test } from './testing/faulty-network.ts';

test('an error of Postgres says nothing of the row that was refused', async ({ network }) => {
  const insert = `INSERT INTO auth_rate_limits (key, count, resets_at) VALUES ($1, $2, 1)`;
  await network.driver.write(insert, ['hunter2', 1]);
  await expectHidden(network.driver.write(insert, ['hunter2', -1]), { code: '23514' });
  await expectHidden(network.driver.write(insert, ['hunter2', 1]), { name: 'DuplicateKeyError' });
});

async function expectHidden(refused: Promise<unknown>, kind: object): Promise<void> {
  const error = await refused.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject(kind);
  expect(inspect(error, { depth: 9 })).not.toContain('hunter2');
}

test('a character that the database does not have is the fault of who sent it', async ({ network }) => {
  for (const expression of [`convert_from('\\x00', 'UTF8')`, `'"\\u0000"'::jsonb`]) {
    await expectHidden(network.driver.read(`SELECT ${expression}`, []), { code: 'VALIDATION_FAILED', status: 400 });
  }
});
