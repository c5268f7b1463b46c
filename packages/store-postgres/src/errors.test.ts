import { inspect } from 'node:util';
import { expect } from 'vitest';
import { it } from './testing/faulty-network.ts';

it('removes the refused row from an error of Postgres', async ({ network }) => {
  const insert = `INSERT INTO auth_rate_limits (key, count, resets_at) VALUES ($1, $2, 1)`;
  await network.driver.write(insert, ['hunter2', 1]);
  await expectHidden(network.driver.write(insert, ['hunter2', -1]), { code: '23514' });
  await expectHidden(network.driver.write(insert, ['hunter2', 1]), {
    name: 'DuplicateKeyError',
    key: 'auth_rate_limits_pkey',
  });
});

async function expectHidden(refused: Promise<unknown>, kind: object): Promise<void> {
  const error = await refused.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject(kind);
  expect(inspect(error, { depth: 9 })).not.toContain('hunter2');
}

it('blames the caller for a character that the database does not support', async ({ network }) => {
  for (const expression of [`convert_from('\\x00', 'UTF8')`, `'"\\u0000"'::jsonb`]) {
    await expectHidden(network.driver.read(`SELECT ${expression}`, []), { code: 'VALIDATION_FAILED', status: 400 });
  }
});
