import { expect } from 'vitest';
import { it } from './testing/faulty-network.ts';

/** A long text that only this number has, and whose column only this number has. */
function textOf(number: number): string {
  return `SELECT $1 || '${number}' AS column_${number} /* ${'-'.repeat(10_000)} */`;
}

it('prepares recent statements only, however many a client comes up with', async ({ network }) => {
  await network.driver.transaction(async (inside) => {
    const ask = async (number: number): Promise<void> =>
      expect(await inside.read(textOf(number), ['is '])).toEqual([{ [`column_${number}`]: `is ${number}` }]);
    for (let number = 0; number < 120; number += 1) await ask(number);
    // These were dropped, and have the names of others now.
    for (const number of [0, 1, 119, 2, 0]) await ask(number);
    const [prepared] = await inside.read('SELECT sum(length(statement)) AS length FROM pg_prepared_statements', []);
    expect(Number(prepared?.['length'])).toBeGreaterThan(400_000);
    expect(Number(prepared?.['length'])).toBeLessThan(600_000);
  });
});

it('prepares a statement anew after one of the same name was refused', async ({ network }) => {
  await network.driver.transaction(async (inside) => {
    for (let number = 0; number < 60; number += 1) await inside.read(textOf(number), ['is ']);
  });
  await expect(network.driver.read(`SELECT $1 FROM missing /* ${'-'.repeat(10_000)} */`, ['x'])).rejects.toThrow();
  for (let number = 0; number < 5; number += 1) {
    expect(await network.driver.read(textOf(number), ['is '])).toEqual([{ [`column_${number}`]: `is ${number}` }]);
  }
});
