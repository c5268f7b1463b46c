import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyChain, runChain } from '../../support/attack-chains.ts';
import { loots } from '../../support/attacker.ts';
import { anySquatterChain, runSquatterChain } from '../../support/squatter-chains.ts';
import { engines } from '../../support/test-server.ts';
import { createWholeServer } from '../../support/whole-server.ts';

/** A chain on SQLite waits for the disk. */
const numRuns = { memory: 40, sqlite: 8 };

describe.each(engines)('an attacker on %s', (engine) => {
  it.each(loots)('with only %s gets no more than that gives by any six operations', async (loot) => {
    const test = await createWholeServer({ engine, auth: { session: { strategy: 'jwt', algorithm: 'ES256' } } });
    const isHarmless = fc.asyncProperty(anyChain(loot), async (chain) => {
      expect(await runChain(test, chain)).toEqual([]);
    });
    await fc.assert(isHarmless, { numRuns: numRuns[engine] });
  });

  it('with a squatted account gets nothing more once the owner of its address has reclaimed it', async () => {
    const test = await createWholeServer({ engine, auth: { session: { strategy: 'jwt', algorithm: 'ES256' } } });
    const isHarmless = fc.asyncProperty(anySquatterChain(), async (chain) => {
      expect(await runSquatterChain(test, chain)).toEqual([]);
    });
    await fc.assert(isHarmless, { numRuns: numRuns[engine] });
  });
});

it('would see all the harm there is: an attacker who has everything does it', async () => {
  const test = await createWholeServer({ auth: { session: { strategy: 'jwt', algorithm: 'ES256' } } });
  const harm = new Set<string>();
  for (const chain of fc.sample(anyChain('everything'), { numRuns: 150, seed: 23 })) {
    for (const each of await runChain(test, chain)) harm.add(each.replace(/, by .*/, ''));
  }
  expect(harm).toEqual(
    new Set([
      ...['account', 'password', 'address', 'proof of the address', 'role', 'tenant'].map(
        (what) => `changed the ${what}`,
      ),
      ...['factor', 'pending factor', 'identities'].map((what) => `changed the ${what}`),
      ...['opened a session', 'ended a session', 'moved a session', 'renewed a proof'],
      ...['got a JWT', 'got a refresh token', 'requested another address'],
    ]),
  );
});
