import type { Stores, TransactionStores } from '@x/store';
import { expect } from 'vitest';
import { untilWaiting } from '../concurrently.ts';
import { whileOpen } from '../in-transaction.ts';
import type { SampleRecords } from '../sample-records.ts';
import { signIn, signUp, stored } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes which time a step uses that had to wait. */
export function describeMoments(it: StoreTest): void {
  it.holding(2)(
    'uses the time after waiting when a step has waited for a transaction',
    async ({ engine, stores, records, processes, clock }) => {
      const steps = [...(await prepareSteps(stores, records)), ...(await prepareSteps(processes[0], records))];
      const before = clock.now();
      const { started } = await whileOpen(stores, addToCounter, async () => {
        const running = Promise.all(steps.map(async (step) => step()));
        if (engine.hasConcurrentWriters === true) await running;
        clock.advance(1000);
        return { started: running };
      });
      const expected = engine.hasConcurrentWriters === true ? before : clock.now();
      for (const moment of await started) expect(moment).toEqual(expected);
    },
  );

  it('does not rotate a session that expired while the step was waiting', async ({
    engine,
    stores,
    records,
    processes,
    clock,
  }) => {
    const { id } = await signUp(stores, records);
    const expiresAt = new Date(clock.now().getTime() + 1000);
    for (const each of [stores, processes[0]]) {
      const session = await signIn(stores, records, id, { expiresAt });
      const tokens = { expectedHash: session.refreshTokenHash, nextHash: records.hash(session.id) };
      const { rotating, early } = await whileOpen(stores, addToCounter, async () => {
        const rotation = each.sessions.rotate(session.id, tokens);
        const done = engine.hasConcurrentWriters === true ? await rotation : null;
        clock.advance(1000);
        return { rotating: rotation, early: done };
      });
      expect(await rotating).toEqual(early);
      clock.advance(-1000);
    }
  });

  it('does not consume a token that expired while the step was waiting', async ({
    database,
    stores,
    records,
    processes,
    clock,
  }) => {
    const { id } = await signUp(stores, records);
    const expiresAt = new Date(clock.now().getTime() + 1000);
    for (const each of [stores, processes[0]]) {
      const token = records.mailToken(id, { expiresAt });
      await stores.passwordResets.replace(token);
      const lock = async (inside: TransactionStores): Promise<unknown> => inside.users.setDisabled(id, false);
      const { consuming } = await whileOpen(stores, lock, async () => {
        const consumption = each.passwordResets.consume(token.tokenHash);
        await untilWaiting(database, 1);
        clock.advance(1000);
        return { consuming: consumption };
      });
      expect(await consuming).toBeNull();
      clock.advance(-1000);
    }
  });

  it('starts a session that has waited for its user at the time the user is unlocked', async ({
    database,
    stores,
    records,
    processes,
    clock,
  }) => {
    const { id } = await signUp(stores, records);
    const lock = async (inside: TransactionStores): Promise<unknown> => inside.users.setDisabled(id, false);
    const { creating } = await whileOpen(stores, lock, async () => {
      const creation = processes[0].sessions.create(records.session(id), { maxActive: 50 });
      await untilWaiting(database, 1);
      clock.advance(1000);
      return { creating: creation };
    });
    const { user, session } = stored(await creating);
    const now = clock.now();
    expect(session).toMatchObject({ createdAt: now, rotatedAt: now, lastActiveAt: now });
    expect(user.updatedAt.getTime()).toBe(now.getTime() - 1000);
  });
}

const addToCounter = async (inside: TransactionStores): Promise<unknown> => inside.counters.add('contended', 1);

/** Makes steps on records of their own, each of which returns the moment that it used. */
async function prepareSteps(
  stores: Stores,
  records: SampleRecords,
): Promise<readonly (() => Promise<Date | null | undefined>)[]> {
  const { users, sessions, rateLimits, events, subscriptions } = stores;
  const { id: userId } = await signUp(stores, records);
  const mover = await signUp(stores, records);
  const claimer = await signUp(stores, records);
  const promoted = await signUp(stores, records);
  const [first, second, third, fourth] = [
    await signIn(stores, records, userId),
    await signIn(stores, records, userId),
    await signIn(stores, records, userId),
    await signIn(stores, records, userId),
  ];
  const tokens = { expectedHash: first.refreshTokenHash, nextHash: records.hash(first.id) };
  return [
    async () => (await sessions.rotate(first.id, tokens))?.rotatedAt,
    async () => (await sessions.setSecondFactor(second.id))?.secondFactorAt,
    async () => (await sessions.revoke(third.id))?.revokedAt,
    async () => {
      const revocation = await sessions.revokeOwn(fourth.id, fourth.id);
      return revocation.outcome === 'revoked' ? revocation.session.revokedAt : null;
    },
    async () => (await sessions.create(records.session(mover.id), { maxActive: 50 }))?.session.createdAt,
    async () => (await users.create(records.user()))?.createdAt,
    async () => (await users.setDisabled(userId, false))?.updatedAt,
    async () => (await users.setRole(promoted.id, 'admin'))?.updatedAt,
    async () => (await users.verifyEmail(promoted.id, promoted.email))?.updatedAt,
    async () => (await users.proveEmail(promoted.id, promoted.email))?.emailProvenAt,
    async () => (await users.setPassword(claimer.id, 'next'))?.updatedAt,
    async () => (await events.append(records.event())).at,
    async () => (await subscriptions.assign({ tenantId: userId, planName: 'pro', group: 'base' })).startedAt,
    async () => new Date((await rateLimits.check(`key ${userId}`, 1, 60_000)).resetsAt.getTime() - 60_000),
    async () => {
      await users.claimEmail(claimer.id, claimer.email);
      return (await users.findById(claimer.id))?.updatedAt;
    },
    async () => {
      await users.changePassword(mover.id, { expectedHash: mover.passwordHash, nextHash: 'next' });
      return (await users.findById(mover.id))?.updatedAt;
    },
  ];
}
