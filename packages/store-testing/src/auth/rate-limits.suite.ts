import {
  type CheckedSession,
  isKnownToken,
  type RateLimitResult,
  type SessionAttempt,
  type SessionRecord,
  type TransactionStores,
} from '@x/store';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { awkwardTexts } from '../awkward-values.ts';
import { signIn, signUp } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes what every rate-limit store does, also one that does not roll back with the transactions of others. */
export function describeRateLimits(it: StoreTest): void {
  describe('rate limits', () => {
    describeWindow(it);
    describeKeys(it);
    describeFullWindow(it);
    describeWithSession(it);
    describeGivingBack(it);
    describePruning(it);
    describeModel(it);
  });
}

function describeFullWindow(it: StoreTest): void {
  it('say whether a window is full without counting an attempt', async ({ stores, clock }) => {
    const isFull = (): Promise<boolean> => stores.rateLimits.isFull('key', 2);
    expect(await isFull()).toBe(false);
    for (const full of [false, true, true]) {
      await stores.rateLimits.check('key', 2, 1000);
      for (let count = 0; count < 3; count += 1) expect(await isFull()).toBe(full);
    }
    expect(await stores.rateLimits.isFull('other', 2)).toBe(false);
    clock.advance(999);
    expect(await isFull()).toBe(true);
    clock.advance(1);
    expect(await isFull()).toBe(false);
    expect(await stores.rateLimits.check('key', 2, 1000)).toMatchObject({ allowed: true, remaining: 1 });
  });

  it('are no longer full once an attempt is refunded', async ({ stores }) => {
    await stores.rateLimits.check('key', 2, 1000);
    const { resetsAt } = await stores.rateLimits.check('key', 2, 1000);
    await stores.rateLimits.refund('key', 2, resetsAt);
    expect(await stores.rateLimits.isFull('key', 2)).toBe(false);
  });

  it('are full for a transaction as it has counted itself', async ({ stores }) => {
    await stores.transaction(async (inside) => {
      await inside.rateLimits.check('key', 1, 1000);
      expect(await inside.rateLimits.isFull('key', 1)).toBe(true);
    });
    expect(await stores.rateLimits.isFull('key', 1)).toBe(true);
  });
}

function describeWithSession(it: StoreTest): void {
  it('return an attempt together with the session that it is made for', async ({ stores, records, clock }) => {
    const user = await signUp(stores, records, { fields: { groups: ['readers'] } });
    const session = await signIn(stores, records, user.id, { ipAddress: null, userAgent: "O'Hara 😀" });
    const attempt = attemptOf(session);
    const resetsAt = new Date(clock.now().getTime() + 60_000);
    const allowed = { allowed: true, isFirstRefusal: false, resetsAt };
    const refused = { allowed: false, remaining: 0, resetsAt };
    for (const remaining of [1, 0]) {
      const result = { ...allowed, remaining };
      expect(await checkWithSession(stores, attempt)).toEqual({ result, found: { session, user } });
    }
    for (const isFirstRefusal of [true, false, false]) {
      const { result } = await checkWithSession(stores, attempt);
      expect(result).toEqual({ ...refused, isFirstRefusal });
    }
    clock.advance(60_000);
    expect(await checkWithSession(stores, attempt)).toMatchObject({ result: { remaining: 1 } });
  });

  it('count attempts with a token that the session does not know apart', async ({ stores, records }) => {
    const session = await signIn(stores, records, (await signUp(stores, records)).id);
    const { id, refreshTokenHash: first } = session;
    const [second, third] = [records.hash(id), records.hash(id)];
    const isKnown = async (change: Partial<SessionAttempt>): Promise<boolean> => {
      const keys = { known: records.hash(id), unknown: records.hash(id) };
      const { result } = await checkWithSession(stores, { ...attemptOf(session), keys, ...change });
      expect(result).toMatchObject({ allowed: true, remaining: 1 });
      const [known, unknown] = [await countOf(stores, keys.known), await countOf(stores, keys.unknown)];
      expect(known + unknown).toBe(1);
      return known === 1;
    };
    const rotate = (expectedHash: string, nextHash: string): Promise<unknown> =>
      stores.sessions.rotate(id, { expectedHash, nextHash });
    // Before its first rotation, the session has no previous token.
    expect([await isKnown({}), await isKnown({ tokenHash: second })]).toEqual([true, false]);
    await rotate(first, second);
    expect([await isKnown({}), await isKnown({ tokenHash: second })]).toEqual([true, true]);
    await rotate(second, third);
    expect([await isKnown({}), await isKnown({ tokenHash: second })]).toEqual([false, true]);
    const other = await signIn(stores, records, session.userId);
    expect(await isKnown({ sessionId: other.id, tokenHash: third })).toBe(false);
    expect(await isKnown({ sessionId: records.sessionId(), tokenHash: third })).toBe(false);
    await stores.sessions.revoke(id);
    expect(await isKnown({ tokenHash: third })).toBe(true);
  });

  it('allow attempts with a known token while those with unknown ones are refused', async ({ stores, records }) => {
    const session = await signIn(stores, records, (await signUp(stores, records)).id);
    const [known, unknown] = [attemptOf(session), { ...attemptOf(session), tokenHash: records.hash(session.id) }];
    for (const allowed of [true, true, false, false]) {
      expect(await checkWithSession(stores, unknown)).toMatchObject({ result: { allowed }, found: { session } });
    }
    for (const allowed of [true, true, false, false]) {
      expect(await checkWithSession(stores, known)).toMatchObject({ result: { allowed }, found: { session } });
    }
  });

  it('allow exactly as many concurrent attempts for one session as the limit says', async ({ stores, records }) => {
    const session = await signIn(stores, records, (await signUp(stores, records)).id);
    const together = { ...attemptOf(session), maxAttempts: 5 };
    const all = await Promise.all(Array.from({ length: 20 }, () => checkWithSession(stores, together)));
    const results = all.map(({ result }) => result);
    expect(results.filter(({ allowed }) => allowed)).toHaveLength(5);
    expect(results.filter(({ isFirstRefusal }) => isFirstRefusal)).toHaveLength(1);
    for (const { result, found } of all) if (result.allowed) expect(found?.session).toEqual(session);
    expect(await stores.rateLimits.check('known', 5, 60_000)).toMatchObject({ allowed: false, isFirstRefusal: false });
  });
}

/** An attempt with the token that was current when the session was read. */
export function attemptOf({ id: sessionId, refreshTokenHash: tokenHash }: SessionRecord): SessionAttempt {
  return { sessionId, tokenHash, keys: { known: 'known', unknown: 'unknown' }, maxAttempts: 2, windowMs: 60_000 };
}

/** Returns how many attempts were counted under a key, and counts one more. */
async function countOf({ rateLimits }: TransactionStores, key: string): Promise<number> {
  return 1 - (await rateLimits.check(key, 2, 60_000)).remaining;
}

/** Uses one call if the store has it, otherwise the two that it combines. */
export async function checkWithSession(
  { rateLimits, sessions }: TransactionStores,
  attempt: SessionAttempt,
): Promise<CheckedSession> {
  if (rateLimits.checkWithSession) return rateLimits.checkWithSession(attempt);
  const found = await sessions.findWithUser(attempt.sessionId);
  const { keys, maxAttempts, windowMs } = attempt;
  const key = isKnownToken(found, attempt.tokenHash) ? keys.known : keys.unknown;
  return { result: await rateLimits.check(key, maxAttempts, windowMs), found };
}

function describeWindow(it: StoreTest): void {
  it('allow attempts up to the limit and refuse those beyond it', async ({ stores, clock }) => {
    const resetsAt = new Date(clock.now().getTime() + 60_000);
    const allowed = { allowed: true, isFirstRefusal: false, resetsAt };
    const refused = { allowed: false, remaining: 0, resetsAt };
    expect(await stores.rateLimits.check('key', 2, 60_000)).toEqual({ ...allowed, remaining: 1 });
    expect(await stores.rateLimits.check('key', 2, 60_000)).toEqual({ ...allowed, remaining: 0 });
    expect(await stores.rateLimits.check('key', 2, 60_000)).toEqual({ ...refused, isFirstRefusal: true });
    expect(await stores.rateLimits.check('key', 2, 60_000)).toEqual({ ...refused, isFirstRefusal: false });
    expect(await stores.rateLimits.check('key', 2, 60_000)).toEqual({ ...refused, isFirstRefusal: false });
  });

  it('support a limit of one in a window of one millisecond', async ({ stores, clock }) => {
    expect(await stores.rateLimits.check('key', 1, 1)).toMatchObject({ allowed: true, remaining: 0 });
    expect(await stores.rateLimits.check('key', 1, 1)).toMatchObject({ allowed: false, remaining: 0 });
    clock.advance(1);
    expect(await stores.rateLimits.check('key', 1, 1)).toMatchObject({ allowed: true, remaining: 0 });
  });

  it('end a window at resetsAt, and not a millisecond before', async ({ stores, clock }) => {
    await stores.rateLimits.check('key', 1, 1000);
    clock.advance(999);
    expect(await stores.rateLimits.check('key', 1, 1000)).toMatchObject({ allowed: false });
    clock.advance(1);
    const resetsAt = new Date(clock.now().getTime() + 1000);
    expect(await stores.rateLimits.check('key', 1, 1000)).toMatchObject({ allowed: true, remaining: 0, resetsAt });
  });

  it('start a window at its first attempt, and never extend it', async ({ stores, clock }) => {
    const { resetsAt } = await stores.rateLimits.check('key', 2, 1000);
    clock.advance(600);
    expect(await stores.rateLimits.check('key', 2, 1000)).toMatchObject({ allowed: true, remaining: 0, resetsAt });
    for (const wait of [399, 0, 0]) {
      clock.advance(wait);
      expect(await stores.rateLimits.check('key', 2, 1000)).toMatchObject({ allowed: false, remaining: 0, resetsAt });
    }
    clock.advance(1);
    expect(await stores.rateLimits.check('key', 2, 1000)).toMatchObject({ allowed: true, remaining: 1 });
  });

  it('report a first refusal in each window', async ({ stores, clock }) => {
    for (const wait of [0, 1000, 5000]) {
      clock.advance(wait);
      const refusals: boolean[] = [];
      for (let attempt = 0; attempt < 5; attempt += 1) {
        refusals.push((await stores.rateLimits.check('key', 2, 1000)).isFirstRefusal);
      }
      expect(refusals).toEqual([false, false, true, false, false]);
    }
  });

  it('support a window of a year', async ({ stores, clock }) => {
    const year = 365 * 86_400_000;
    const { resetsAt } = await stores.rateLimits.check('key', 1, year);
    expect(resetsAt.getTime()).toBe(clock.now().getTime() + year);
    clock.advance(year - 1);
    expect(await stores.rateLimits.check('key', 1, year)).toMatchObject({ allowed: false });
  });
}

function describeKeys(it: StoreTest): void {
  it('tell keys apart by code points alone', async ({ stores }) => {
    for (const key of awkwardTexts) {
      expect(await stores.rateLimits.check(key, 1, 60_000)).toMatchObject({ allowed: true });
    }
    for (const key of awkwardTexts) {
      expect(await stores.rateLimits.check(key, 1, 60_000)).toMatchObject({ allowed: false });
    }
  });

  it('are shared by all processes on the database', async ({ stores, processes }) => {
    for (const other of processes) await other.rateLimits.check('key', 5, 60_000);
    expect(await stores.rateLimits.check('key', 5, 60_000)).toMatchObject({ allowed: true, remaining: 0 });
    for (const other of processes) {
      expect(await other.rateLimits.check('key', 5, 60_000)).toMatchObject({ allowed: false });
    }
  });
}

function describeGivingBack(it: StoreTest): void {
  it('allow one more attempt after a refund', async ({ stores }) => {
    const { resetsAt } = await stores.rateLimits.check('key', 2, 1000);
    await stores.rateLimits.check('other', 2, 1000);
    await stores.rateLimits.refund('key', 2, resetsAt);
    for (const remaining of [1, 0]) {
      expect(await stores.rateLimits.check('key', 2, 1000)).toMatchObject({ allowed: true, remaining, resetsAt });
    }
    expect(await stores.rateLimits.check('key', 2, 1000)).toMatchObject({ allowed: false });
    expect(await stores.rateLimits.check('other', 2, 1000)).toMatchObject({ remaining: 0 });
  });

  it('refund no refused attempt', async ({ stores }) => {
    const { resetsAt } = await stores.rateLimits.check('key', 1, 1000);
    for (let refused = 0; refused < 3; refused += 1) await stores.rateLimits.check('key', 1, 1000);
    await stores.rateLimits.refund('key', 1, resetsAt);
    expect(await stores.rateLimits.check('key', 1, 1000)).toMatchObject({ allowed: true, remaining: 0 });
    expect(await stores.rateLimits.check('key', 1, 1000)).toMatchObject({ allowed: false });
  });

  it('refund no more than was counted', async ({ stores }) => {
    const { resetsAt } = await stores.rateLimits.check('key', 2, 1000);
    for (let count = 0; count < 3; count += 1) await stores.rateLimits.refund('key', 2, resetsAt);
    await stores.rateLimits.refund('nobody', 2, resetsAt);
    for (const allowed of [true, true, false]) {
      expect(await stores.rateLimits.check('key', 2, 1000)).toMatchObject({ allowed });
    }
    expect(await stores.rateLimits.check('nobody', 2, 1000)).toMatchObject({ remaining: 1 });
  });

  it('refund no attempt of an ended window to the next one', async ({ stores, clock }) => {
    const { resetsAt } = await stores.rateLimits.check('key', 1, 1000);
    clock.advance(1000);
    await stores.rateLimits.refund('key', 1, resetsAt);
    await stores.rateLimits.check('key', 1, 1000);
    await stores.rateLimits.refund('key', 1, resetsAt);
    expect(await stores.rateLimits.check('key', 1, 1000)).toMatchObject({ allowed: false });
  });
}

function describePruning(it: StoreTest): void {
  it('prune windows from the moment of their end, and no others', async ({ stores, clock }) => {
    for (const windowMs of [1000, 1001, 60_000]) await stores.rateLimits.check(`${windowMs}`, 1, windowMs);
    clock.advance(999);
    expect(await stores.rateLimits.prune({ limit: 100 })).toBe(0);
    clock.advance(1);
    expect(await stores.rateLimits.prune({ limit: 100 })).toBe(1);
    expect(await stores.rateLimits.check('1001', 1, 1001)).toMatchObject({ allowed: false });
    clock.advance(1);
    expect(await stores.rateLimits.prune({ limit: 100 })).toBe(1);
    expect(await stores.rateLimits.prune({ limit: 100 })).toBe(0);
    expect(await stores.rateLimits.check('60000', 1, 60_000)).toMatchObject({ allowed: false });
    for (const key of ['1000', '1001'])
      expect(await stores.rateLimits.check(key, 1, 1000)).toMatchObject({ allowed: true });
  });

  it('prune in the order of the ends, at most as many as the limit', async ({ stores, clock }) => {
    const keys = ['30', '10', '50', '20', '40'];
    for (const key of keys) await stores.rateLimits.check(key, 1, Number(key));
    clock.advance(50);
    expect(await stores.rateLimits.prune({ limit: 2 })).toBe(2);
    expect(await stores.rateLimits.prune({ limit: 1 })).toBe(1);
    // Back in the windows, an attempt tells which of them are still there.
    clock.advance(-50);
    const results = [];
    for (const key of keys) results.push((await stores.rateLimits.check(key, 1, Number(key))).allowed);
    expect(results).toEqual([true, true, false, true, false]);
  });
}

function describeModel(it: StoreTest): void {
  it('agree with a plain list of moments for any sequence of attempts', async ({ stores, clock, rounds }) => {
    let run = 0;
    const attempt = fc.record({
      key: fc.nat(2),
      wait: fc.constantFrom(0, 0, 1, 249, 250, 500),
      // A window that is over has no effect, so no caller can see whether it was pruned.
      prunes: fc.constantFrom(false, false, false, true),
    });
    const attempts = fc.array(attempt, { maxLength: 30 });
    const agrees = fc.asyncProperty(attempts, fc.integer({ min: 1, max: 4 }), async (steps, maxAttempts) => {
      run += 1;
      const model = new Map<number, number[]>();
      for (const { key, wait, prunes } of steps) {
        clock.advance(wait);
        if (prunes) await stores.rateLimits.prune({ limit: 2 });
        const expected = countAttempt(model, { key, now: clock.now().getTime(), maxAttempts, windowMs: 500 });
        expect(await stores.rateLimits.check(`${run}:${key}`, maxAttempts, 500)).toEqual(expected);
      }
    });
    await fc.assert(agrees, { numRuns: 10 * rounds });
  });
}

/** Keeps the moment of every attempt of the window under way. */
function countAttempt(
  model: Map<number, number[]>,
  attempt: { key: number; now: number; maxAttempts: number; windowMs: number },
): RateLimitResult {
  const { key, now, maxAttempts, windowMs } = attempt;
  const known = model.get(key) ?? [];
  const [start = now] = known;
  const moments = now < start + windowMs ? [...known, now] : [now];
  model.set(key, moments);
  return {
    allowed: moments.length <= maxAttempts,
    isFirstRefusal: moments.length === maxAttempts + 1,
    remaining: Math.max(0, maxAttempts - moments.length),
    resetsAt: new Date((moments[0] ?? now) + windowMs),
  };
}
