import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyChain, runChain } from '../../support/attack-chains.ts';
import { loots } from '../../support/attacker.ts';
import { openPostgres } from '../../support/several-servers.ts';
import { anySquatterChain, runSquatterChain } from '../../support/squatter-chains.ts';
import { createTestDatabase } from '../../support/test-server.ts';
import { createWholeServer } from '../../support/whole-server.ts';

/** Over 10 000 chains in total. */
const stores = [
  { name: 'memory', open: () => createTestDatabase('memory'), numRuns: 1000 },
  { name: 'SQLite', open: () => createTestDatabase('sqlite'), numRuns: 334 },
  { name: 'Postgres', open: () => openPostgres(), numRuns: 334 },
] as const;

describe.each(stores)('an attacker on $name', ({ open, numRuns }) => {
  it.each(loots)(
    'who has only %s gets no more than that gives by any six operations',
    { timeout: 600_000 },
    async (loot) => {
      const session = { strategy: 'jwt', algorithm: 'ES256' } as const;
      const test = await createWholeServer({ database: await open(), auth: { session } });
      const isHarmless = fc.asyncProperty(anyChain(loot), async (chain) => {
        expect(await runChain(test, chain)).toEqual([]);
      });
      await fc.assert(isHarmless, { numRuns });
    },
  );

  it(
    'who squatted on an address gets nothing more once its owner has taken the account back',
    { timeout: 600_000 },
    async () => {
      const session = { strategy: 'jwt', algorithm: 'ES256' } as const;
      const test = await createWholeServer({ database: await open(), auth: { session } });
      const isHarmless = fc.asyncProperty(anySquatterChain(), async (chain) => {
        expect(await runSquatterChain(test, chain)).toEqual([]);
      });
      await fc.assert(isHarmless, { numRuns });
    },
  );
});
