import type { MailTokenRecord, SessionId, SessionRecord, Stores, UserRecord } from '@x/store';
import { expect } from 'vitest';
import { concurrently, pause, times, untilWaiting } from '../concurrently.ts';
import type { SampleRecords } from '../sample-records.ts';
import { signIn, signUp } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes what is guaranteed while several processes change, recover and delete one account at once. */
export function describeAccountRaces(it: StoreTest): void {
  describeDeletionRaces(it);
  describeLockRace(it);
  describeLockOrder(it);
}

function describeDeletionRaces(it: StoreTest): void {
  it('returns the user from exactly one of 40 concurrent deletions', async ({ stores, records, processes }) => {
    const user = await signUp(stores, records);
    const deletions = await concurrently(processes, times(40), async (each) => each.users.delete(user.id));
    expect(deletions.filter((deleted) => deleted !== null)).toEqual([user]);
  });

  it('leaves no session or token of a deleted user, even if one is created concurrently', async ({
    stores,
    records,
    processes,
    rounds,
  }) => {
    const [deleter, reader] = processes;
    for (let round = 0; round < 6 * rounds; round += 1) {
      const { id: userId } = await signUp(stores, records);
      const sessions: SessionId[] = [];
      const hashes: string[] = [];
      const begin = async (): Promise<unknown> =>
        concurrently(processes, times(12), async (each) => {
          const [session, token] = [records.session(userId), records.mailToken(userId)];
          sessions.push(session.id);
          hashes.push(token.tokenHash);
          await Promise.all([each.sessions.create(session, { maxActive: 50 }), each.passwordResets.replace(token)]);
        });
      const deleteThenCount = async (): Promise<number> => {
        await deleter.transaction(async (inside) => {
          await inside.sessions.revokeAll(userId);
          expect(await inside.users.delete(userId)).not.toBeNull();
        });
        return reader.sessions.countActive(userId);
      };
      const [, atDeletion] = await Promise.all([begin(), deleteThenCount(), begin()]);
      expect(atDeletion).toBe(0);
      for (const id of sessions) expect(await stores.sessions.findById(id)).toBeNull();
      for (const hash of hashes) expect(await stores.passwordResets.find(hash)).toBeNull();
    }
  });
}

function describeLockRace(it: StoreTest): void {
  it.for(['revoke', 'revokeAll'] as const)(
    'does not let a %s of a session interrupt a transaction that locked it',
    async (verb, { stores, records, processes, rounds }) => {
      const { id: userId } = await signUp(stores, records);
      for (let round = 0; round < 4 * rounds; round += 1) {
        const { id } = await signIn(stores, records, userId);
        let isEnded = false;
        const outcomes = await concurrently(processes, times(12), async (each, index) => {
          if (index === 5) {
            await (verb === 'revoke' ? each.sessions.revoke(id) : each.sessions.revokeAll(userId));
            isEnded = true;
            return null;
          }
          return each.transaction(async (inside) => {
            if (!(await inside.sessions.lockActive(id))) return { isLocked: false };
            await pause(0);
            return { isLocked: true, isEnded, session: await inside.sessions.findById(id) };
          });
        });
        const locked = outcomes.filter((outcome) => outcome?.isLocked);
        for (const outcome of locked) expect(outcome).toMatchObject({ isEnded: false, session: { revokedAt: null } });
        expect(await stores.sessions.lockActive(id)).toBeNull();
      }
    },
  );
}

/** An account with something of each kind, and the addresses that it may move to. */
interface Account {
  readonly user: UserRecord;
  readonly session: SessionRecord;
  readonly reset: MailTokenRecord;
  readonly verification: MailTokenRecord;
}

/** Each call is what a verb of its own does; none may wait for another that waits for it. */
function describeLockOrder(it: StoreTest): void {
  it.for(['replace', 'consume', 'remove', 'delete', 'create'] as const)(
    'lets the transaction that used a token change its user while a %s waits for it',
    async (verb, { database, stores, records, processes }) => {
      const { user, reset, verification } = await createAccount(stores, records);
      const rivals = {
        replace: async () => processes[0].emailVerifications.replace(records.mailToken(user.id)),
        consume: async () => processes[0].emailVerifications.consume(verification.tokenHash),
        remove: async () => processes[0].emailVerifications.remove(user.id),
        delete: async () => processes[0].users.delete(user.id),
        create: async () => processes[0].sessions.create(records.session(user.id), { maxActive: 1 }),
      };
      const { rival } = await stores.transaction(async (inside) => {
        expect(await inside.emailVerifications.consume(verification.tokenHash)).toEqual(verification);
        const waiting = rivals[verb]();
        await untilWaiting(database, 1);
        expect(await inside.users.claimEmail(user.id, 'next@example.com')).toBe('claimed');
        expect(await inside.passwordResets.consume(reset.tokenHash)).toEqual(reset);
        await inside.sessions.revokeAll(user.id);
        return { rival: waiting };
      });
      await rival;
      const found = await stores.users.findById(user.id);
      expect(found?.email ?? null).toBe(verb === 'delete' ? null : 'next@example.com');
    },
  );

  it('runs concurrent resets, changes of address, requests, sign-ins, locks and deletions without a deadlock', async ({
    stores,
    records,
    processes,
    rounds,
    clock,
  }) => {
    for (let round = 0; round < 8 * rounds; round += 1) {
      const account = await createAccount(stores, records);
      const verbs = [resetPassword, changeAddress, requestReset, requestChange, startSession, workForSession, prune];
      const calls = [...verbs, ...verbs.toReversed(), ...(round % 2 === 0 ? [deleteUser] : []), ...verbs];
      clock.advance(1);
      const outcomes = await concurrently(processes, calls, async (each, call) => {
        return (await call(each, account, records)) ? call : null;
      });
      expect(outcomes.filter((call) => call === resetPassword).length).toBeLessThanOrEqual(1);
      expect(outcomes.filter((call) => call === changeAddress).length).toBeLessThanOrEqual(1);
      expect(outcomes.includes(deleteUser)).toBe(round % 2 === 0);
      await expectConsistent(stores, account, outcomes);
    }
  });
}

async function createAccount(stores: Stores, records: SampleRecords): Promise<Account> {
  const user = await signUp(stores, records, { passwordHash: 'old' });
  const session = await signIn(stores, records, user.id);
  const reset = records.mailToken(user.id, { email: user.email });
  const verification = records.mailToken(user.id, { email: user.email, newEmail: `new-${user.email}` });
  await stores.passwordResets.replace(reset);
  await stores.emailVerifications.replace(verification);
  return { user, session, reset, verification };
}

type Call = (stores: Stores, account: Account, records: SampleRecords) => Promise<boolean>;

const resetPassword: Call = async (stores, { reset }) =>
  stores.transaction(async (inside) => {
    const token = await inside.passwordResets.consume(reset.tokenHash);
    if (!token) return false;
    expect(await inside.users.setPassword(token.userId, 'reset')).not.toBeNull();
    await inside.sessions.revokeAll(token.userId);
    return true;
  });

const changeAddress: Call = async (stores, { verification }) =>
  stores.transaction(async (inside) => {
    const token = await inside.emailVerifications.consume(verification.tokenHash);
    if (!token) return false;
    expect(await inside.users.claimEmail(token.userId, token.newEmail ?? token.email)).toBe('claimed');
    await inside.passwordResets.remove(token.userId);
    return true;
  });

const requestReset: Call = async (stores, { user }, records) =>
  stores.transaction(async (inside) => {
    await inside.events.append(records.event({ userId: user.id }));
    return inside.passwordResets.replace(records.mailToken(user.id));
  });

const requestChange: Call = async (stores, { user }, records) =>
  stores.emailVerifications.replace(records.mailToken(user.id));

const startSession: Call = async (stores, { user }, records) =>
  (await stores.sessions.create(records.session(user.id), { maxActive: 2 })) !== null;

const workForSession: Call = async (stores, { user, session }, records) =>
  stores.transaction(async (inside) => {
    if (!(await inside.sessions.lockActive(session.id))) return false;
    expect(await inside.emailVerifications.replace(records.mailToken(user.id))).toBe(true);
    await inside.passwordResets.remove(user.id);
    expect(await inside.sessions.revokeOthers(session.id)).not.toBeNull();
    return true;
  });

const prune: Call = async (stores) => {
  const batch = { before: stores.clock.now(), limit: 10 };
  await Promise.all([
    stores.sessions.prune(batch),
    stores.passwordResets.prune(batch),
    stores.emailVerifications.prune(batch),
  ]);
  return true;
};

const deleteUser: Call = async (stores, { user }) =>
  stores.transaction(async (inside) => {
    await inside.sessions.revokeAll(user.id);
    return (await inside.users.delete(user.id)) !== null;
  });

async function expectConsistent(stores: Stores, account: Account, outcomes: readonly (Call | null)[]): Promise<void> {
  const { user, session, reset, verification } = account;
  const found = await stores.users.findById(user.id);
  expect(await stores.passwordResets.find(reset.tokenHash)).toBeNull();
  expect(await stores.emailVerifications.find(verification.tokenHash)).toBeNull();
  if (outcomes.includes(deleteUser)) {
    expect(found).toBeNull();
    expect(await stores.sessions.findById(session.id)).toBeNull();
    expect(await stores.sessions.countActive(user.id)).toBe(0);
    return;
  }
  expect(found).toMatchObject({
    passwordHash: outcomes.includes(resetPassword) ? 'reset' : 'old',
    email: outcomes.includes(changeAddress) ? verification.newEmail : user.email,
  });
}
