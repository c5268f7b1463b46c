import type { CreatedSession, SessionStore, UserId } from '@x/store';
import { expect } from 'vitest';
import { concurrently, pause, times } from '../concurrently.ts';
import { signIn, signUp, stored } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';
import { describeRevocationRaces } from './revocation-races.suite.ts';

/** Describes what is guaranteed while several processes work on the sessions of one user at once. */
export function describeSessionRaces(it: StoreTest): void {
  describeRotationRaces(it);
  describeChangeRaces(it);
  describeRoleRace(it);
  describeCapRace(it);
  describePasswordRace(it);
  describeDisablingRace(it);
  describeRevocationRaces(it);
}

function describeRotationRaces(it: StoreTest): void {
  it('accepts exactly one of 200 rotations of a token', async ({ stores, records, processes }) => {
    const session = await signIn(stores, records, (await signUp(stores, records)).id);
    const expectedHash = session.refreshTokenHash;
    const rotations = await concurrently(processes, times(200), (each) =>
      each.sessions.rotate(session.id, { expectedHash, nextHash: records.hash(session.id) }),
    );
    const rotated = rotations.filter((rotation) => rotation !== null);
    expect(rotated).toHaveLength(1);
    expect(await stores.sessions.findById(session.id)).toEqual(rotated[0]);
    expect(rotated[0]).toMatchObject({ generation: 1, previousTokenHash: expectedHash });
  });

  it('keeps no session active by a rotation that was concurrently revoked', async ({
    stores,
    records,
    processes,
    rounds,
  }) => {
    const [first, second, third] = processes;
    const { id: userId } = await signUp(stores, records);
    for (let round = 0; round < 15 * rounds; round += 1) {
      const { id, refreshTokenHash } = await signIn(stores, records, userId);
      const nextHash = records.hash(id);
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

function describeChangeRaces(it: StoreTest): void {
  it('loses none of 40 moves to a tenant in ver', async ({ stores, records, processes }) => {
    const { id } = await signIn(stores, records, (await signUp(stores, records)).id);
    const moves = await concurrently(processes, times(40), (each, index) =>
      each.sessions.setTenant(id, `tenant-${index}`),
    );
    expect(new Set(moves.map((session) => session?.ver)).size).toBe(40);
    const last = moves.find((session) => session?.ver === 40);
    expect(await stores.sessions.findById(id)).toEqual(last);
  });

  it('loses none of 40 raises of ver, in any session', async ({ stores, records, processes }) => {
    const { id: userId } = await signUp(stores, records);
    const [one, other] = [await signIn(stores, records, userId), await signIn(stores, records, userId)];
    await concurrently(processes, times(40), (each) => each.sessions.bumpTokenVersion(userId));
    for (const { id } of [one, other]) expect(await stores.sessions.findById(id)).toMatchObject({ ver: 40 });
  });

  it('keeps a concurrent rotation, second factor, move and raise of ver', async ({
    stores,
    records,
    processes,
    rounds,
  }) => {
    const [first, second, third, fourth] = processes;
    const { id: userId } = await signUp(stores, records);
    for (let round = 0; round < 10 * rounds; round += 1) {
      const { id, refreshTokenHash } = await signIn(stores, records, userId);
      const nextHash = records.hash(id);
      const [rotated] = await Promise.all([
        first.sessions.rotate(id, { expectedHash: refreshTokenHash, nextHash }),
        second.sessions.setSecondFactor(id),
        third.sessions.setTenant(id, 'tenant-9'),
        fourth.sessions.bumpTokenVersion(userId),
      ]);
      expect(rotated).toMatchObject({ refreshTokenHash: nextHash });
      expect(await stores.sessions.findById(id)).toMatchObject({
        ...{ refreshTokenHash: nextHash, generation: 1, tenantId: 'tenant-9', ver: 2 },
        secondFactorAt: expect.any(Date),
      });
      await stores.sessions.revoke(id);
    }
  });
}

function describeRoleRace(it: StoreTest): void {
  it('leaves no session that started with an old role at its first ver', async ({
    stores,
    records,
    processes,
    rounds,
  }) => {
    const [promoter] = processes;
    for (let round = 0; round < 8 * rounds; round += 1) {
      const { id: userId } = await signUp(stores, records, { role: 'user' });
      const create = async (): Promise<readonly (CreatedSession | null)[]> =>
        concurrently(processes, times(12), (each) => each.sessions.create(records.session(userId), { maxActive: 50 }));
      const promote = async (): Promise<void> =>
        promoter.transaction(async (inside) => {
          await inside.users.setRole(userId, 'admin');
          await inside.sessions.bumpTokenVersion(userId);
        });
      const [before, , after] = await Promise.all([create(), promote(), create()]);
      for (const created of [...before, ...after].map(stored)) {
        const found = await stores.sessions.findById(created.session.id);
        expect(found).toMatchObject({ ver: created.user.role === 'user' ? 1 : 0 });
      }
    }
  });
}

function describeCapRace(it: StoreTest): void {
  it.for([
    { creations: 100, maxActive: 5 },
    { creations: 60, maxActive: 50 },
  ])(
    'shows no reader more than $maxActive sessions at any moment while $creations are created',
    async ({ creations, maxActive }, { stores, records, processes }) => {
      const { id: userId } = await signUp(stores, records);
      const watches = [stores, ...processes].map((each) => watchActive(each.sessions, userId));
      const outcomes: (CreatedSession | null)[] = [];
      // Twenty at once: they wait for each other, and on a busy machine more of them would do so for too long.
      for (let started = 0; started < creations; started += 20) {
        const wave = await concurrently(processes, times(20), async (each, index) => {
          // Each after one more read, so that readers get their turns between them.
          await watches[index % watches.length]?.hasRead(index);
          return each.sessions.create(records.session(userId), { maxActive });
        });
        outcomes.push(...wave);
      }
      const seen = (await Promise.all(watches.map((watch) => watch.stop()))).flat();
      expect(Math.max(...seen)).toBe(maxActive);
      expect(seen.length, 'reads beside the first and the last').toBeGreaterThan(4 * watches.length);
      const revoked = outcomes.flatMap((outcome) => stored(outcome).revoked);
      expect(new Set(revoked).size).toBe(creations - maxActive);
      expect(revoked).toHaveLength(creations - maxActive);
      const active = await stores.sessions.listActive(userId);
      expect(active).toHaveLength(maxActive);
      expect(active.filter((session) => revoked.includes(session.id))).toEqual([]);
    },
  );
}

function describePasswordRace(it: StoreTest): void {
  it('creates no session with a password that was changed before', async ({ stores, records, processes, rounds }) => {
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

function describeDisablingRace(it: StoreTest): void {
  it('leaves no session of a user who was disabled and signed out', async ({ stores, records, processes, rounds }) => {
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

/** Counts the active sessions of a user again and again. */
interface Watch {
  /** Resolves once it has counted so many times. */
  readonly hasRead: (times: number) => Promise<void>;
  /** Counts once more, and returns all that was seen. */
  readonly stop: () => Promise<readonly number[]>;
}

/** Counts a user's active sessions again and again until it is stopped, and once more then. */
function watchActive(sessions: SessionStore, userId: UserId): Watch {
  let isOver = false;
  let reads = 0;
  const count = async (): Promise<readonly number[]> => [
    await sessions.countActive(userId),
    (await sessions.listActive(userId)).length,
  ];
  const watching = (async (): Promise<readonly number[]> => {
    const seen: number[] = [];
    while (!isOver) {
      seen.push(...(await count()));
      reads += 1;
      await pause(0);
    }
    return [...seen, ...(await count())];
  })();
  return {
    hasRead: async (times) => {
      // The error of a read is thrown here, where waiting for the next one would take forever.
      while (reads < times) await Promise.race([pause(0), watching]);
    },
    stop: async () => {
      isOver = true;
      return watching;
    },
  };
}
