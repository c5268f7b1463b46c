import { expect } from 'vitest';
import type { UserId } from '../id.ts';
import type { SessionStore } from '../sessions.ts';
import { concurrently, times } from './concurrently.ts';
import { signIn } from './sign-in.ts';
import { signUp } from './sign-up.ts';
import type { StoreTest } from './store-test.ts';
import { stored } from './stored.ts';

/** Describes what holds while several processes work on the sessions of one user at once. */
export function describeSessionRaces(test: StoreTest): void {
  describeRotationRaces(test);
  describeChangeRaces(test);
  describeCapRace(test);
  describePasswordRace(test);
  describeDisablingRace(test);
  describeRevocationRaces(test);
}

function describeRotationRaces(test: StoreTest): void {
  test('of 200 rotations of one token one succeeds', async ({ stores, records, processes }) => {
    const session = await signIn(stores, records, (await signUp(stores, records)).id);
    const expectedHash = session.refreshTokenHash;
    const rotations = await concurrently(processes, times(200), (each) =>
      each.sessions.rotate(session.id, { expectedHash, nextHash: records.hash() }),
    );
    const rotated = rotations.filter((rotation) => rotation !== null);
    expect(rotated).toHaveLength(1);
    expect(await stores.sessions.findById(session.id)).toEqual(rotated[0]);
    expect(rotated[0]).toMatchObject({ generation: 1, previousTokenHash: expectedHash });
  });

  test('no rotation keeps a session active that was revoked at the same time', async ({
    stores,
    records,
    processes,
    rounds,
  }) => {
    const [first, second, third] = processes;
    const { id: userId } = await signUp(stores, records);
    for (let round = 0; round < 15 * rounds; round += 1) {
      const { id, refreshTokenHash } = await signIn(stores, records, userId);
      const nextHash = records.hash();
      const rotate = async (sessions: SessionStore, expectedHash: string): Promise<unknown> =>
        sessions.rotate(id, { expectedHash, nextHash });
      const revokeThenRotate = async (): Promise<unknown> => {
        await second.sessions.revoke(id);
        expect(await third.sessions.findById(id)).toHaveProperty('revokedAt', expect.any(Date));
        expect(await rotate(third.sessions, nextHash)).toBeNull();
        return rotate(second.sessions, refreshTokenHash);
      };
      const calls = [() => rotate(first.sessions, refreshTokenHash), revokeThenRotate];
      const outcomes = await Promise.all((round % 2 === 0 ? calls : calls.toReversed()).map((call) => call()));
      expect(outcomes).toContain(null);
      expect(await stores.sessions.countActive(userId)).toBe(0);
    }
  });
}

function describeChangeRaces(test: StoreTest): void {
  test('of 40 moves to a tenant none is lost from ver', async ({ stores, records, processes }) => {
    const { id } = await signIn(stores, records, (await signUp(stores, records)).id);
    const moves = await concurrently(processes, times(40), (each, index) =>
      each.sessions.setTenant(id, `tenant-${index}`),
    );
    expect(new Set(moves.map((session) => session?.ver)).size).toBe(40);
    const last = moves.find((session) => session?.ver === 40);
    expect(await stores.sessions.findById(id)).toEqual(last);
  });

  test('a rotation, a second factor and a move at the same time all stay', async ({ stores, records, processes }) => {
    const [first, second, third] = processes;
    const { id, refreshTokenHash } = await signIn(stores, records, (await signUp(stores, records)).id);
    const nextHash = records.hash();
    await Promise.all([
      first.sessions.rotate(id, { expectedHash: refreshTokenHash, nextHash }),
      second.sessions.setSecondFactor(id),
      third.sessions.setTenant(id, 'tenant-9'),
    ]);
    expect(await stores.sessions.findById(id)).toMatchObject({
      ...{ refreshTokenHash: nextHash, generation: 1, tenantId: 'tenant-9', ver: 1 },
      secondFactorAt: expect.any(Date),
    });
  });
}

function describeCapRace(test: StoreTest): void {
  test('no reader sees more sessions than the cap while 200 are created', async ({ stores, records, processes }) => {
    const { id: userId } = await signUp(stores, records);
    const watch = watchActive(stores.sessions, userId);
    const outcomes = await concurrently(processes, times(200), (each) =>
      each.sessions.create(records.session(userId), { maxActive: 5 }),
    );
    const seen = await watch.stop();
    expect(Math.max(...seen)).toBeLessThanOrEqual(5);
    const revoked = outcomes.flatMap((outcome) => stored(outcome).revoked);
    expect(new Set(revoked).size).toBe(195);
    expect(revoked).toHaveLength(195);
    const active = await stores.sessions.listActive(userId);
    expect(active).toHaveLength(5);
    expect(active.filter((session) => revoked.includes(session.id))).toEqual([]);
  });
}

function describePasswordRace(test: StoreTest): void {
  test('no session appears under a password that was changed before', async ({
    stores,
    records,
    processes,
    rounds,
  }) => {
    const [changer, reader] = processes;
    for (let round = 0; round < 8 * rounds; round += 1) {
      const { id: userId } = await signUp(stores, records, { passwordHash: 'old' });
      const changeThenList = async (): Promise<readonly string[]> => {
        expect(await changer.users.changePassword(userId, { expectedHash: 'old', nextHash: 'new' })).toBe(true);
        return (await reader.sessions.listActive(userId)).map((session) => session.id);
      };
      const terms = { maxActive: 50, expectedPasswordHash: 'old' };
      const create = async (): Promise<unknown> =>
        concurrently(processes, times(12), (each) => each.sessions.create(records.session(userId), terms));
      const [, atChange] = await Promise.all([create(), changeThenList(), create()]);
      const active = (await stores.sessions.listActive(userId)).map((session) => session.id);
      expect(active.toSorted()).toEqual(atChange.toSorted());
    }
  });
}

function describeDisablingRace(test: StoreTest): void {
  test('a user who was disabled and signed out has no session from then on', async ({
    stores,
    records,
    processes,
    rounds,
  }) => {
    const [disabler, reader] = processes;
    for (let round = 0; round < 8 * rounds; round += 1) {
      const { id: userId } = await signUp(stores, records);
      const disableThenCount = async (): Promise<number> => {
        await disabler.transaction(async (inside) => {
          await inside.users.setDisabled(userId, true);
          await inside.sessions.revokeAll(userId);
        });
        return reader.sessions.countActive(userId);
      };
      const create = async (): Promise<unknown> =>
        concurrently(processes, times(12), (each) => each.sessions.create(records.session(userId), { maxActive: 50 }));
      const [, atDisabling] = await Promise.all([create(), disableThenCount(), create()]);
      expect(atDisabling).toBe(0);
      expect(await stores.sessions.countActive(userId)).toBe(0);
    }
  });
}

function describeRevocationRaces(test: StoreTest): void {
  test('of 40 revocations of one session one returns it', async ({ stores, records, processes }) => {
    const { id } = await signIn(stores, records, (await signUp(stores, records)).id);
    const revocations = await concurrently(processes, times(40), (each) => each.sessions.revoke(id));
    expect(revocations.filter((session) => session !== null)).toHaveLength(1);
  });

  test('a session that is created while all others end is either ended or active', async ({
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

  test('of two sessions that end each other exactly one stays', async ({ stores, records, processes, rounds }) => {
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

/** Counts a user's active sessions over and over until it is stopped. */
function watchActive(sessions: SessionStore, userId: UserId): { stop: () => Promise<readonly number[]> } {
  let isOver = false;
  const watching = (async (): Promise<readonly number[]> => {
    const seen: number[] = [];
    do {
      seen.push(await sessions.countActive(userId), (await sessions.listActive(userId)).length);
      await new Promise((resolve) => setTimeout(resolve));
    } while (!isOver);
    return seen;
  })();
  return {
    stop: async () => {
      isOver = true;
      return watching;
    },
  };
}
