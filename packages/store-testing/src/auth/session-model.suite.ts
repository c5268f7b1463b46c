import type { Revocation, SessionId, SessionRecord, SessionStore, Stores, UserId } from '@x/store';
import fc from 'fast-check';
import { expect } from 'vitest';
import { compareSessions } from '../listen-to.ts';
import type { ManualClock } from '../clock.ts';
import type { SampleRecords } from '../sample-records.ts';
import { signUp } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';
import { NaiveSessions } from './naive-sessions.ts';

const runs = fc.array(step(), { minLength: 5, maxLength: 25 });

/** Describes that every session store agrees with the naive reading of the contract after any steps. */
export function describeSessionModel(it: StoreTest): void {
  it('behaves like a plain list under any sequence of steps', async ({ stores, records, clock, rounds }) => {
    const agrees = fc.asyncProperty(runs, async (steps) => {
      const world = await createWorld(stores, records, clock);
      for (const one of steps) {
        await takeSteps([one], stores.sessions, world);
        expectSameRevocations(world);
      }
      await expectSameState(stores.sessions, world);
      world.unsubscribe();
    });
    await fc.assert(agrees, { numRuns: 7 * rounds });
  });

  it('does so in a transaction, and after it, too', async ({ stores, records, clock, rounds }) => {
    const agrees = fc.asyncProperty(runs, runs, runs, async (before, inside, after) => {
      const world = await createWorld(stores, records, clock);
      await takeSteps(before, stores.sessions, world);
      await stores.transaction(async (transaction) => {
        await takeSteps(inside, transaction.sessions, world);
        await expectSameState(transaction.sessions, world);
      });
      expectSameRevocations(world);
      await expectSameState(stores.sessions, world);
      await takeSteps(after, stores.sessions, world);
      world.unsubscribe();
    });
    await fc.assert(agrees, { numRuns: 4 * rounds });
  });
}

interface World {
  readonly model: NaiveSessions;
  /** The revocations that the stores reported. */
  readonly reported: readonly Revocation[];
  readonly unsubscribe: () => void;
  readonly records: SampleRecords;
  readonly clock: ManualClock;
  readonly users: readonly UserId[];
  readonly sessions: SessionId[];
}

type Verb =
  | 'create'
  | 'rotate'
  | 'forgetPreviousToken'
  | 'setAuthenticated'
  | 'setSecondFactor'
  | 'setTenant'
  | 'leaveTenant'
  | 'bumpTokenVersion'
  | 'revoke'
  | 'revokeOwn'
  | 'revokeOthers'
  | 'revokeAll'
  | 'prune';

interface Step {
  readonly verb: Verb;
  readonly user: number;
  readonly session: number;
  /** The session that asks, where one does. */
  readonly current: number;
  /** Whether the step expects what is true: the password, the token, the owner. */
  readonly isRight: boolean;
  readonly lifetime: number;
  /** Never 0, so that no two sessions are equally old: which of those gives way is open. */
  readonly wait: number;
}

type Call = (store: SessionStore) => Promise<unknown>;

function step(): fc.Arbitrary<Step> {
  return fc.record({
    verb: fc.constantFrom(
      ...(['create', 'create', 'create', 'create', 'rotate', 'rotate', 'rotate', 'forgetPreviousToken'] as const),
      ...(['setAuthenticated', 'setSecondFactor'] as const),
      ...([
        'setTenant',
        'leaveTenant',
        'bumpTokenVersion',
        'revoke',
        'revokeOwn',
        'revokeOwn',
        'revokeOthers',
      ] as const),
      ...(['revokeAll', 'prune'] as const),
    ),
    user: fc.constantFrom(0, 0, 0, 1, 2),
    session: fc.nat(9),
    current: fc.nat(9),
    isRight: fc.constantFrom(true, true, true, false),
    lifetime: fc.constantFrom(1, 100, 1000, 100_000),
    wait: fc.constantFrom(1, 1, 99, 100, 900),
  });
}

/** Makes a user with a password, one without, and one that does not exist. */
async function createWorld(stores: Stores, records: SampleRecords, clock: ManualClock): Promise<World> {
  const first = await signUp(stores, records, { passwordHash: 'current' });
  const second = await signUp(stores, records, { passwordHash: null });
  const users = [first.id, second.id, records.userId()];
  // The sessions of the previous world are over, and must not count in this one.
  clock.advance(1_000_000);
  await stores.sessions.prune({ before: clock.now(), limit: 1000 });
  const reported: Revocation[] = [];
  const unsubscribe = stores.onRevoked((revocation) => void reported.push(revocation));
  return {
    model: new NaiveSessions(clock, [first, second]),
    reported,
    unsubscribe,
    records,
    clock,
    users,
    sessions: [],
  };
}

async function takeSteps(steps: readonly Step[], store: SessionStore, world: World): Promise<void> {
  for (const one of steps) {
    world.clock.advance(one.wait);
    const call = await toCall(one, world);
    const outcome = await call(store);
    expect(toComparable(outcome), one.verb).toEqual(toComparable(await call(world.model)));
  }
}

/** Turns a step into a call with the same arguments for the store and for the model. */
async function toCall(step: Step, world: World): Promise<Call> {
  const { records, users, sessions, model, clock } = world;
  const userId = users[step.user] ?? records.userId();
  const idAt = (index: number): SessionId => sessions[index % Math.max(1, sessions.length)] ?? records.sessionId();
  const [id, current] = [idAt(step.session), idAt(step.current)];
  const nextHash = records.hash(id);
  switch (step.verb) {
    case 'create':
      return toCreate(step, world, userId);
    case 'rotate': {
      const session = await model.findById(id);
      const expectedHash = (step.isRight ? session?.refreshTokenHash : session?.previousTokenHash) ?? records.hash(id);
      return (store) => store.rotate(id, { expectedHash, nextHash });
    }
    case 'forgetPreviousToken': {
      const session = await model.findById(id);
      const currentHash = (step.isRight ? session?.refreshTokenHash : session?.previousTokenHash) ?? records.hash(id);
      return (store) => store.forgetPreviousToken(id, currentHash);
    }
    case 'setAuthenticated':
      return (store) => store.setAuthenticated(id, step.isRight ? 'code' : 'password');
    case 'setSecondFactor':
      return (store) => store.setSecondFactor(id);
    case 'setTenant':
      return (store) => store.setTenant(id, step.isRight ? `tenant-${step.user}` : null);
    case 'leaveTenant':
      return (store) => store.leaveTenant(userId, { from: 'tenant-1', to: step.isRight ? 'tenant-0' : null });
    case 'bumpTokenVersion':
      return (store) => store.bumpTokenVersion(userId);
    case 'revoke':
      return (store) => store.revoke(id);
    case 'revokeOwn':
      return (store) => store.revokeOwn(current, id);
    case 'revokeOthers':
      return (store) => store.revokeOthers(current);
    case 'revokeAll':
      return (store) => store.revokeAll(userId);
    case 'prune': {
      const before = new Date(clock.now().getTime() + (step.isRight ? -step.wait : step.lifetime));
      return (store) => store.prune({ before, limit: 100 });
    }
  }
}

function toCreate(step: Step, { records, clock, sessions }: World, userId: UserId): Call {
  const expiresAt = new Date(clock.now().getTime() + step.lifetime);
  const session = records.session(userId, { expiresAt });
  sessions.push(session.id);
  const expected = step.user === 1 ? null : 'current';
  const terms = { maxActive: 3, expectedPasswordHash: step.isRight ? expected : 'old' };
  return (store) => store.create(session, terms);
}

/** Which of several ended sessions is named first is open. */
function toComparable(outcome: unknown): unknown {
  if (Array.isArray(outcome)) return outcome.map(String).toSorted();
  if (typeof outcome !== 'object' || outcome === null || !('revoked' in outcome)) return outcome;
  return { ...outcome, revoked: toComparable(outcome.revoked) };
}

function expectSameRevocations({ model, reported }: World): void {
  expect(reported.toSorted(compareSessions)).toEqual(model.revocations.toSorted(compareSessions));
}

async function expectSameState(store: SessionStore, { model, users, sessions }: World): Promise<void> {
  for (const userId of users) {
    expect(await store.listActive(userId)).toEqual(await model.listActive(userId));
    expect(await store.countActive(userId)).toBe(await model.countActive(userId));
  }
  for (const id of sessions) {
    const session: SessionRecord | null = await model.findById(id);
    expect(await store.findById(id)).toEqual(session);
    expect(await store.findWithUser(id)).toEqual(await model.findWithUser(id));
    expect(await store.lockActive(id)).toEqual(await model.lockActive(id));
    expect(await store.listOwn(id)).toEqual(await model.listOwn(id));
    if (!session) continue;
    expect(await store.findByRefreshHash(session.refreshTokenHash)).toEqual(session);
    if (session.previousTokenHash === null) continue;
    expect(await store.findByPreviousHash(session.previousTokenHash)).toEqual(session);
  }
}
