import { describe, expect, it } from 'vitest';
import { deriveToken, isValidJwt, refreshWith, storedSession } from '../../support/refresh-tokens.ts';
import { makeVictim, revocations } from '../../support/revocations.ts';
import { createTestDatabase, createTestServer, engines, type TestServer } from '../../support/test-server.ts';

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
      // Each may come first; where only one ever did, the rounds raced nothing.
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

/** Refreshes and revokes at once, expects the session to be over, and returns how the refresh was answered. */
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
