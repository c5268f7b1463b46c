import type { SqlScope } from '@x/store-sql';
import { describe, expect } from 'vitest';
import { it } from './testing/faulty-network.ts';

describe('statements with names', () => {
  it('are the recent ones only, however many a client comes up with', async ({ network }) => {
    await network.driver.transaction(async (inside) => {
      for (let number = 0; number < 120; number += 1) await expectColumn(inside, number);
      // These were dropped, and have the names of others now.
      for (const number of [0, 1, 119, 2, 0]) await expectColumn(inside, number);
      await expectPreparedLength(inside, { above: 400_000, below: 600_000 });
    });
  });

  it('are prepared anew after one with their name was refused', async ({ network }) => {
    const { driver } = network;
    await driver.transaction(async (inside) => {
      for (let number = 0; number < 60; number += 1) await expectColumn(inside, number);
    });
    await expectMissingTable(driver.read(`SELECT $1 FROM missing ${padding}`, ['x']));
    await driver.transaction(async (inside) => {
      for (let number = 0; number < 60; number += 1) await expectColumn(inside, number);
    });
  });
});

const padding = `/* ${'-'.repeat(10_000)} */`;

/** Expects the result of a long text that only this number has, and whose column only this number has. */
async function expectColumn(scope: SqlScope, number: number): Promise<void> {
  const rows = await scope.read(`SELECT $1 || '${number}' AS column_${number} ${padding}`, ['is ']);
  expect(rows).toEqual([{ [`column_${number}`]: `is ${number}` }]);
}

async function expectMissingTable(call: Promise<unknown>): Promise<void> {
  // SQLSTATE undefined_table
  await expect(call).rejects.toMatchObject({ cause: { code: '42P01' } });
}

/** Expects how long the statements are that the server keeps for this connection. */
async function expectPreparedLength(
  scope: SqlScope,
  { above, below }: { readonly above: number; readonly below: number },
): Promise<void> {
  const [prepared] = await scope.read('SELECT sum(length(statement)) AS length FROM pg_prepared_statements', []);
  expect(Number(prepared?.['length'])).toBeGreaterThan(above);
  expect(Number(prepared?.['length'])).toBeLessThan(below);
}
