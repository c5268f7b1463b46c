import type { JsonObject } from '@x/store';
import { describe, expect, it } from 'vitest';
import {
  deriveToken,
  expectSessionExpired,
  isValidJwt,
  refreshWith,
  storedSession,
} from '../../support/refresh-tokens.ts';
import { makeVictim, revocations } from '../../support/revocations.ts';
import { createTestDatabase, createTestServer, engines } from '../../support/test-server.ts';

const cases = Object.keys(revocations).flatMap((by) =>
  ['current', 'parent'].flatMap((presented) => [1, 2].map((servers) => ({ by, presented, servers }))),
);

describe.each(engines)('a session on %s', (engine) => {
  it.each(Object.entries(revocations))('ends at once when it is revoked by %s', async (_by, revoke) => {
    const test = await createTestServer({ engine });
    const victim = await makeVictim(test, 'ada@example.com');
    await revoke(test, victim);
    const revoked = await storedSession(test, victim.tokens[0]);
    expect(revoked).toEqual({ ...victim.session, revokedAt: test.clock.now() });
    expect(await isValidJwt(test, victim.accessToken)).toBe(false);
    for (const generation of [2, 1, 0, 3])
      expectSessionExpired(await refreshWith(test, deriveToken(test, revoked, generation)));
    expect(await storedSession(test, victim.tokens[0])).toEqual(revoked);
  });

  it.each(cases)(
    'refuses a refresh by its $presented token if it is revoked by $by meanwhile, on $servers server(s)',
    async ({ by, presented, servers: count }) => {
      const database = createTestDatabase(engine);
      let meanwhile = async (): Promise<void> => {};
      const claims = async (): Promise<JsonObject> => {
        await meanwhile();
        return {};
      };
      const test = await createTestServer({ database, auth: { claims } });
      const revoking = count === 1 ? test : await createTestServer({ database });
      const victim = await makeVictim(test, 'ada@example.com');
      meanwhile = async () => {
        meanwhile = async () => {};
        await revocations[by]!(revoking, victim);
      };
      expectSessionExpired(await refreshWith(test, victim.tokens[presented === 'current' ? 2 : 1]));
      const session = await storedSession(test, victim.tokens[0]);
      expect(session).toEqual({ ...victim.session, revokedAt: expect.any(Date) });
      expectSessionExpired(await refreshWith(test, deriveToken(test, session, 3)));
      expect(await isValidJwt(revoking, victim.accessToken)).toBe(false);
    },
  );
});
