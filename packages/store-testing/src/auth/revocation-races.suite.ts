import type { OwnRevocation, SessionRecord } from '@x/store';
import { expect } from 'vitest';
import { concurrently, times } from '../concurrently.ts';
import { signIn, signInOften, signUp } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes what is guaranteed while several processes end and prune sessions of one user at once. */
export function describeRevocationRaces(it: StoreTest): void {
  describeEndingRaces(it);
  describeOwnRevocationRaces(it);
  describeRotationWhileEnding(it);
  describePruningRace(it);
}

function describeEndingRaces(it: StoreTest): void {
  it('returns a session from exactly one of 40 concurrent revocations', async ({ stores, records, processes }) => {
    const { id } = await signIn(stores, records, (await signUp(stores, records)).id);
    const revocations = await concurrently(processes, times(40), (each) => each.sessions.revoke(id));
    expect(revocations.filter((session) => session !== null)).toHaveLength(1);
  });

  it('creates a session either before or after all sessions end, never in between', async ({
    stores,
    records,
    processes,
  }) => {
    const { id: userId } = await signUp(stores, records);
    const current = await signIn(stores, records, userId);
    const created: string[] = [];
    const ended: string[] = [];
    await concurrently(processes, times(60), async (each, index) => {
      if (index % 6 === 5) ended.push(...((await each.sessions.revokeOthers(current.id)) ?? []));
      else created.push((await signIn(each, records, userId)).id);
    });
    const active = (await stores.sessions.listActive(userId)).map((session) => session.id);
    expect(active).toContain(current.id);
    expect([...active, ...ended].toSorted()).toEqual([current.id, ...created].toSorted());
  });

  it('leaves exactly one of two sessions that end each other', async ({ stores, records, processes, rounds }) => {
    const [first, second] = processes;
    const { id: userId } = await signUp(stores, records);
    for (let round = 0; round < 15 * rounds; round += 1) {
      const [one, other] = [await signIn(stores, records, userId), await signIn(stores, records, userId)];
      const outcomes = await Promise.all([first.sessions.revokeOthers(one.id), second.sessions.revokeOthers(other.id)]);
      expect(outcomes).toContainEqual(null);
      const active = await stores.sessions.listActive(userId);
      expect(active).toHaveLength(1);
      expect(outcomes).toContainEqual([active[0]?.id === one.id ? other.id : one.id]);
      await stores.sessions.revokeAll(userId);
    }
  });
}

/** The outcomes of two concurrent calls have to be those of one after the other, in one of the two orders. */
function describeOwnRevocationRaces(it: StoreTest): void {
  it('tells the remaining one of two sessions that end each other that it succeeded', async ({
    stores,
    records,
    processes,
    rounds,
  }) => {
    const [first, second] = processes;
    const { id: userId } = await signUp(stores, records);
    for (let round = 0; round < 15 * rounds; round += 1) {
      const [one, other] = [await signIn(stores, records, userId), await signIn(stores, records, userId)];
      const outcomes = await Promise.all([
        first.sessions.revokeOwn(one.id, other.id),
        second.sessions.revokeOwn(other.id, one.id),
      ]);
      const hasOneWon = outcomes[0].outcome === 'revoked';
      const won = { outcome: 'revoked', session: await stores.sessions.findById((hasOneWon ? other : one).id) };
      const lost = { outcome: 'unauthenticated' };
      expect(outcomes).toEqual(hasOneWon ? [won, lost] : [lost, won]);
      expect(await stores.sessions.listActive(userId)).toEqual([hasOneWon ? one : other]);
      await stores.sessions.revokeAll(userId);
    }
  });

  it('leaves exactly one of many sessions that end each other at once', async ({
    stores,
    records,
    processes,
    rounds,
  }) => {
    const { id: userId } = await signUp(stores, records);
    for (let round = 0; round < 4 * rounds; round += 1) {
      const ids = await signInOften(stores, records, userId);
      const pairs = ids.flatMap((current) => ids.filter((id) => id !== current).map((id) => ({ current, id })));
      const outcomes = await concurrently(processes, pairs, async (each, { current, id }) =>
        each.sessions.revokeOwn(current, id),
      );
      const revoked = outcomes.flatMap((outcome) => (outcome.outcome === 'revoked' ? outcome.session.id : []));
      expect(new Set(revoked).size).toBe(revoked.length);
      const active = (await stores.sessions.listActive(userId)).map(({ id }) => id);
      expect([...active, ...revoked].toSorted()).toEqual(ids);
      expect(active).toHaveLength(1);
      // The remaining session found all others, each of them active or ended by then.
      const met = outcomes.filter((_, index) => pairs[index]?.current === active[0]);
      expect(met.map(({ outcome }) => outcome)).not.toContain('unauthenticated');
      await stores.sessions.revokeAll(userId);
    }
  });

  it('refuses a session that is ended before it asks', async ({ stores, records, processes, rounds }) => {
    const [first, second] = processes;
    const { id: userId } = await signUp(stores, records);
    for (let round = 0; round < 15 * rounds; round += 1) {
      const [current, other] = [await signIn(stores, records, userId), await signIn(stores, records, userId)];
      const calls = [
        async () => first.sessions.revoke(current.id),
        async () => second.sessions.revokeOwn(current.id, other.id),
      ] as const;
      const ask = async (): Promise<OwnRevocation> =>
        round % 2 === 0
          ? (await Promise.all([calls[0](), calls[1]()]))[1]
          : (await Promise.all([calls[1](), calls[0]()]))[0];
      const { outcome } = await ask();
      expect(await stores.sessions.listActive(userId)).toEqual(outcome === 'revoked' ? [] : [other]);
      expect(['revoked', 'unauthenticated']).toContain(outcome);
      await stores.sessions.revokeAll(userId);
    }
  });

  it('ends a session by exactly one of 40 concurrent requests, from itself and from others', async ({
    stores,
    records,
    processes,
  }) => {
    const { id: userId } = await signUp(stores, records);
    const [current, other] = [await signIn(stores, records, userId), await signIn(stores, records, userId)];
    for (const [id, refusal] of [
      [other.id, 'not_found'],
      [current.id, 'unauthenticated'],
    ] as const) {
      const outcomes = await concurrently(processes, times(40), (each) => each.sessions.revokeOwn(current.id, id));
      const refused = outcomes.filter(({ outcome }) => outcome === refusal);
      expect(refused).toHaveLength(39);
      expect(outcomes.filter(({ outcome }) => outcome === 'revoked')).toHaveLength(1);
    }
  });
}

function describeRotationWhileEnding(it: StoreTest): void {
  it.for(['revokeOwn', 'revokeOthers', 'revokeAll'] as const)(
    'never rotates a session after %s at the same time, nor makes it active again',
    async (verb, { stores, records, processes, rounds }) => {
      const [first, second, third] = processes;
      const { id: userId } = await signUp(stores, records);
      for (let round = 0; round < 10 * rounds; round += 1) {
        const current = await signIn(stores, records, userId);
        const { id, refreshTokenHash } = await signIn(stores, records, userId);
        const nextHash = records.hash(id);
        const rotate = async (): Promise<SessionRecord | null> => {
          const rotated = await first.sessions.rotate(id, { expectedHash: refreshTokenHash, nextHash });
          await third.sessions.rotate(id, { expectedHash: nextHash, nextHash: records.hash(id) });
          return rotated;
        };
        const end = async (): Promise<SessionRecord | null> => {
          if (verb === 'revokeOwn') await second.sessions.revokeOwn(current.id, id);
          else if (verb === 'revokeOthers') await second.sessions.revokeOthers(current.id);
          else await second.sessions.revokeAll(userId);
          return second.sessions.findById(id);
        };
        const calls = [rotate, end];
        const outcomes = await Promise.all((round % 2 === 0 ? calls : calls.toReversed()).map(async (call) => call()));
        const [rotated, ended] = round % 2 === 0 ? outcomes : outcomes.toReversed();
        expect(ended).toMatchObject({ revokedAt: expect.any(Date) });
        expect(ended?.generation).toBeGreaterThanOrEqual(rotated ? 1 : 0);
        // Nothing came after the end.
        expect(await stores.sessions.findById(id)).toEqual(ended);
        await stores.sessions.revokeAll(userId);
      }
    },
  );
}

function describePruningRace(it: StoreTest): void {
  it('counts each of 100 ended sessions in exactly one pruning', async ({ stores, records, processes, clock }) => {
    const { id: userId } = await signUp(stores, records);
    const sessions = await concurrently(processes, times(100), async (each) => signIn(each, records, userId));
    const active = await signIn(stores, records, userId);
    await stores.sessions.revokeOthers(active.id);
    clock.advance(1);
    const before = clock.now();
    const pruned = await concurrently(processes, times(8), (each) => each.sessions.prune({ before, limit: 20 }));
    expect(Math.max(...pruned)).toBeLessThanOrEqual(20);
    const found = await Promise.all(sessions.map(async ({ id }) => stores.sessions.findById(id)));
    const left = found.filter((session) => session !== null);
    expect(pruned.reduce((sum, count) => sum + count, 0)).toBe(100 - left.length);
    expect(await stores.sessions.listActive(userId)).toEqual([active]);
  });
}
