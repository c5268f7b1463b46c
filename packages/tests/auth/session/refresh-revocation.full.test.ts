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
import { createTestDatabase, createTestServer, engines, type TestServer } from '../../support/test-server.ts';

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

const kinds = Object.entries(revocations);
const rounds = process.env['DEEP'] ? 10_000 : 420;
const batch = kinds.length * 4;

describe.each(engines)('a revocation on %s', (engine) => {
  it.each([1, 2])(
    `is never undone by a refresh that it races, over ${rounds} rounds, through %i server(s)`,
    { timeout: 600_000 },
    async (count) => {
      const database = createTestDatabase(engine);
      const refreshing = await createTestServer({ database });
      const revoking = count === 1 ? refreshing : await createTestServer({ database });
      const statuses = new Set<number>();
      for (let round = 0; round < rounds; round += batch) {
        await Promise.all(
          Array.from({ length: batch }, async (_, index) => {
            const [by] = kinds[index % kinds.length]!;
            statuses.add(await race({ refreshing, revoking, by, round: round + index }));
          }),
        );
      }
      // Each outcome has to occur: otherwise the rounds raced nothing.
      expect(statuses).toEqual(new Set([200, 401]));
    },
  );
});

interface Race {
  readonly refreshing: TestServer;
  readonly revoking: TestServer;
  readonly by: string;
  readonly round: number;
}

/** Refreshes and revokes at once, expects the session to be over, and returns the status of the refresh. */
async function race({ refreshing, revoking, by, round }: Race): Promise<number> {
  const victim = await makeVictim(refreshing, `user${round}@example.com`);
  const lead = (Math.floor(round / kinds.length) % 32) - 8;
  const token = victim.tokens[round % 3 === 0 ? 1 : 2];
  const [response] = await Promise.all([
    after(lead, () => refreshWith(refreshing, token)),
    after(-lead, () => revocations[by]!(revoking, victim)),
  ]);
  const session = await storedSession(refreshing, token);
  expect(session.revokedAt).not.toBeNull();
  const successor = deriveToken(refreshing, session, session.generation);
  expect((await refreshWith(refreshing, successor)).status).toBe(401);
  for (const jwt of [victim.accessToken, response.accessToken]) expect(await isValidJwt(revoking, jwt)).toBe(false);
  expect(await storedSession(refreshing, token)).toEqual(session);
  return response.status;
}

/** Lets the event loop turn a number of times first. */
async function after<T>(turns: number, work: () => Promise<T>): Promise<T> {
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
  return work();
}
