import type { StoredMfaSecret } from '@x/store';
import { describe, expect } from 'vitest';
import { awkwardTexts } from '../awkward-values.ts';
import { times } from '../concurrently.ts';
import { expectRolledBack } from '../in-transaction.ts';
import { signUp, enableMfa } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';

/** So many wrong codes in a row lock a second factor in these tests. */
const lockedAt = 5;

/** Describes what every store of second factors does. */
export function describeMfa(it: StoreTest): void {
  describe('second factors', () => {
    describeSetup(it);
    describeEnabling(it);
    describeSteps(it);
    describeWrongCodes(it);
    describeBackupCodes(it);
    describeSecrets(it);
    describeRemoval(it);
  });
}

function describeSetup(it: StoreTest): void {
  it('can be enabled until the millisecond before the setup expires', async ({ stores, records, processes, clock }) => {
    const { id } = await signUp(stores, records);
    const setup = records.pendingMfa(id, { expiresAt: new Date(clock.now().getTime() + 1000) });
    expect(await stores.mfa.startSetup(setup)).toBe(true);
    clock.advance(999);
    for (const each of [stores, ...processes]) {
      expect(await each.mfa.findPending(id)).toEqual(setup);
      expect(await each.mfa.find(id)).toBeNull();
    }
    clock.advance(1);
    expect(await stores.mfa.findPending(id)).toBeNull();
    expect(await stores.mfa.enable(id, { secret: setup.secret, step: 1, backupCodeHashes: [] })).toBe(false);
  });

  it('replace an older setup by a newer one', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    const [older, newer] = [records.pendingMfa(id), records.pendingMfa(id)];
    for (const setup of [older, newer]) expect(await stores.mfa.startSetup(setup)).toBe(true);
    expect(await stores.mfa.findPending(id)).toEqual(newer);
    expect(await stores.mfa.enable(id, { secret: older.secret, step: 1, backupCodeHashes: [] })).toBe(false);
    expect(await stores.mfa.enable(id, { secret: newer.secret, step: 1, backupCodeHashes: [] })).toBe(true);
  });

  it('cannot be set up if one is active, or for a missing user', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    const factor = await enableMfa(stores, records, id);
    expect(await stores.mfa.startSetup(records.pendingMfa(id))).toBe(false);
    expect(await stores.mfa.startSetup(records.pendingMfa(records.userId()))).toBe(false);
    expect(await stores.mfa.find(id)).toEqual(factor);
    expect(await stores.mfa.findPending(id)).toBeNull();
  });

  it('accept any text as a secret, and are not affected when the caller changes a moment afterwards', async ({
    stores,
    records,
  }) => {
    const { id } = await signUp(stores, records);
    for (const secret of awkwardTexts) {
      const setup = records.pendingMfa(id, { secret });
      const { expiresAt } = setup;
      const given = { ...setup, expiresAt: new Date(expiresAt) };
      const starting = stores.mfa.startSetup(given);
      given.expiresAt.setTime(0);
      await starting;
      expect(await stores.mfa.findPending(id)).toEqual(setup);
      (await stores.mfa.findPending(id))?.expiresAt.setTime(0);
      expect(await stores.mfa.findPending(id)).toEqual(setup);
    }
  });
}

function describeEnabling(it: StoreTest): void {
  it('are active after their first code', async ({ stores, records, processes, clock }) => {
    const { id } = await signUp(stores, records);
    const setup = records.pendingMfa(id);
    await stores.mfa.startSetup(setup);
    clock.advance(1);
    const backupCodeHashes = ['code-1', 'code-2'];
    expect(await stores.mfa.enable(id, { secret: setup.secret, step: 57_000_000, backupCodeHashes })).toBe(true);
    const { secret } = setup;
    const counts = { lastStep: 57_000_000, wrongCodes: 0, backupCodesRemaining: 2 };
    const factor = { userId: id, secret, ...counts, enabledAt: clock.now() };
    for (const each of [stores, ...processes]) expect(await each.mfa.find(id)).toEqual(factor);
    expect(await stores.mfa.findPending(id)).toBeNull();
    clock.advance(86_400_000);
    expect(await stores.mfa.find(id)).toEqual(factor);
    // It waits no more: nothing can be turned on twice.
    expect(await stores.mfa.enable(id, { secret, step: 57_000_001, backupCodeHashes: [] })).toBe(false);
    expect(await stores.mfa.find(id)).toEqual(factor);
  });

  it('are not enabled with the secret of another user, or one that is not pending', async ({ stores, records }) => {
    const [user, other] = [await signUp(stores, records), await signUp(stores, records)];
    const setup = records.pendingMfa(user.id);
    await stores.mfa.startSetup(setup);
    const factor = { secret: setup.secret, step: 1, backupCodeHashes: ['code-1'] };
    expect(await stores.mfa.enable(other.id, factor)).toBe(false);
    expect(await stores.mfa.enable(records.userId(), factor)).toBe(false);
    expect(await stores.mfa.enable(user.id, { ...factor, secret: setup.secret.toUpperCase() })).toBe(false);
    for (const { id } of [user, other]) expect(await stores.mfa.find(id)).toBeNull();
  });

  it('are pending again when the transaction that enabled them is rolled back', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    const setup = records.pendingMfa(id);
    await stores.mfa.startSetup(setup);
    const factor = { secret: setup.secret, step: 1, backupCodeHashes: ['code-1'] };
    await expectRolledBack(stores, async (inside) => {
      expect(await inside.mfa.enable(id, factor)).toBe(true);
      expect(await inside.mfa.consumeBackupCode(id, 'code-1')).toBe(true);
    });
    expect(await stores.mfa.findPending(id)).toEqual(setup);
    expect(await stores.mfa.enable(id, factor)).toBe(true);
    expect(await stores.mfa.find(id)).toMatchObject({ backupCodesRemaining: 1 });
  });
}

function describeSteps(it: StoreTest): void {
  it('accept a step once, and no earlier one afterwards', async ({ stores, records, processes }) => {
    const { id } = await signUp(stores, records);
    const { secret, ...factor } = await enableMfa(stores, records, id);
    const [other] = processes;
    for (const [step, isAccepted] of [
      ...[[1000, false] as const, [999, false] as const, [0, false] as const],
      ...[[1001, true] as const, [1001, false] as const, [1003, true] as const, [1002, false] as const],
    ]) {
      expect(await other.mfa.acceptStep(id, { secret, step, lockedAt })).toBe(isAccepted);
    }
    expect(await stores.mfa.find(id)).toEqual({ ...factor, secret, lastStep: 1003 });
  });

  it('accept a step only for the active secret that it was verified against', async ({ stores, records }) => {
    const [user, other] = [await signUp(stores, records), await signUp(stores, records)];
    const factor = await enableMfa(stores, records, user.id);
    const setup = records.pendingMfa(other.id);
    await stores.mfa.startSetup(setup);
    expect(await stores.mfa.acceptStep(user.id, { secret: setup.secret, step: 2000, lockedAt })).toBe(false);
    expect(await stores.mfa.acceptStep(other.id, { secret: setup.secret, step: 2000, lockedAt })).toBe(false);
    expect(await stores.mfa.acceptStep(other.id, { secret: factor.secret, step: 2000, lockedAt })).toBe(false);
    expect(await stores.mfa.acceptStep(records.userId(), { secret: factor.secret, step: 2000, lockedAt })).toBe(false);
    expect(await stores.mfa.find(user.id)).toEqual(factor);
  });

  it('accept a step again when the transaction that accepted it is rolled back', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    const { secret } = await enableMfa(stores, records, id);
    await expectRolledBack(stores, async (inside) => {
      expect(await inside.mfa.acceptStep(id, { secret, step: 1001, lockedAt })).toBe(true);
      expect(await inside.mfa.acceptStep(id, { secret, step: 1001, lockedAt })).toBe(false);
    });
    expect(await stores.mfa.acceptStep(id, { secret, step: 1001, lockedAt })).toBe(true);
  });
}

function describeWrongCodes(it: StoreTest): void {
  it('count wrong codes of their own user until a step is accepted', async ({ stores, records, processes }) => {
    const [user, other] = [await signUp(stores, records), await signUp(stores, records)];
    const { secret } = await enableMfa(stores, records, user.id);
    await enableMfa(stores, records, other.id);
    for (const count of [1, 2, 3]) expect(await stores.mfa.countWrongCode(user.id)).toBe(count);
    for (const each of [stores, ...processes]) expect(await each.mfa.find(user.id)).toMatchObject({ wrongCodes: 3 });
    expect(await stores.mfa.find(other.id)).toMatchObject({ wrongCodes: 0 });
    expect(await stores.mfa.acceptStep(user.id, { secret, step: 1000, lockedAt })).toBe(false);
    expect(await stores.mfa.find(user.id)).toMatchObject({ wrongCodes: 3 });
    expect(await stores.mfa.acceptStep(user.id, { secret, step: 1001, lockedAt })).toBe(true);
    expect(await stores.mfa.find(user.id)).toMatchObject({ wrongCodes: 0 });
    expect(await stores.mfa.countWrongCode(user.id)).toBe(1);
  });

  it('accept no step after too many wrong codes in a row, and go on counting', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    const { secret } = await enableMfa(stores, records, id);
    for (let count = 1; count < lockedAt; count += 1) await stores.mfa.countWrongCode(id);
    expect(await stores.mfa.acceptStep(id, { secret, step: 1001, lockedAt })).toBe(true);
    for (let count = 1; count <= lockedAt; count += 1) expect(await stores.mfa.countWrongCode(id)).toBe(count);
    expect(await stores.mfa.acceptStep(id, { secret, step: 1002, lockedAt })).toBe(false);
    expect(await stores.mfa.countWrongCode(id)).toBe(lockedAt + 1);
    expect(await stores.mfa.acceptStep(id, { secret, step: 1003, lockedAt })).toBe(false);
    expect(await stores.mfa.find(id)).toMatchObject({ lastStep: 1001, wrongCodes: lockedAt + 1 });
  });

  it('accept steps again after a backup code', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    const { secret } = await enableMfa(stores, records, id, ['code-1']);
    for (let count = 1; count <= lockedAt; count += 1) await stores.mfa.countWrongCode(id);
    expect(await stores.mfa.consumeBackupCode(id, 'code-2')).toBe(false);
    expect(await stores.mfa.find(id)).toMatchObject({ wrongCodes: lockedAt });
    expect(await stores.mfa.consumeBackupCode(id, 'code-1')).toBe(true);
    expect(await stores.mfa.find(id)).toMatchObject({ wrongCodes: 0 });
    expect(await stores.mfa.acceptStep(id, { secret, step: 1001, lockedAt })).toBe(true);
  });

  it('count nothing unless they are active, and begin at zero', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    expect(await stores.mfa.countWrongCode(id)).toBe(0);
    await stores.mfa.startSetup(records.pendingMfa(id));
    expect(await stores.mfa.countWrongCode(id)).toBe(0);
    await enableMfa(stores, records, id);
    expect(await stores.mfa.countWrongCode(id)).toBe(1);
    await stores.mfa.remove(id);
    expect(await enableMfa(stores, records, id)).toMatchObject({ wrongCodes: 0 });
  });

  it('forget a wrong code when the transaction that counted it is rolled back', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    const factor = await enableMfa(stores, records, id);
    await expectRolledBack(stores, async (inside) => {
      expect(await inside.mfa.countWrongCode(id)).toBe(1);
      expect(await inside.mfa.find(id)).toMatchObject({ wrongCodes: 1 });
    });
    expect(await stores.mfa.find(id)).toEqual(factor);
  });
}

function describeSecrets(it: StoreTest): void {
  it('keep everything but their secret when it is replaced', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    const { secret, ...factor } = await enableMfa(stores, records, id, ['code-1']);
    await stores.mfa.countWrongCode(id);
    expect(await stores.mfa.replaceSecret(id, { expected: 'another', next: 'next' })).toBe(false);
    expect(await stores.mfa.replaceSecret(id, { expected: secret, next: 'next' })).toBe(true);
    expect(await stores.mfa.replaceSecret(id, { expected: secret, next: 'later' })).toBe(false);
    expect(await stores.mfa.find(id)).toEqual({ ...factor, secret: 'next', wrongCodes: 1 });
    expect(await stores.mfa.acceptStep(id, { secret, step: 1001, lockedAt })).toBe(false);
    expect(await stores.mfa.acceptStep(id, { secret: 'next', step: 1001, lockedAt })).toBe(true);
  });

  it('can have their secret replaced while they are pending, and not without one', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    const setup = records.pendingMfa(id);
    expect(await stores.mfa.replaceSecret(id, { expected: setup.secret, next: 'next' })).toBe(false);
    await stores.mfa.startSetup(setup);
    expect(await stores.mfa.replaceSecret(id, { expected: setup.secret, next: 'next' })).toBe(true);
    expect(await stores.mfa.findPending(id)).toEqual({ ...setup, secret: 'next' });
    expect(await stores.mfa.enable(id, { secret: setup.secret, step: 1, backupCodeHashes: [] })).toBe(false);
    expect(await stores.mfa.enable(id, { secret: 'next', step: 1, backupCodeHashes: [] })).toBe(true);
  });

  it('have their old secret when the transaction that replaced it is rolled back', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    const factor = await enableMfa(stores, records, id);
    await expectRolledBack(stores, async (inside) => {
      expect(await inside.mfa.replaceSecret(id, { expected: factor.secret, next: 'next' })).toBe(true);
      expect(await inside.mfa.listSecrets({ after: null, limit: 10 })).toEqual([{ userId: id, secret: 'next' }]);
    });
    expect(await stores.mfa.find(id)).toEqual(factor);
  });

  it('list the secrets of those that are active or can still be enabled, page by page', async ({
    stores,
    records,
    clock,
  }) => {
    const soon = new Date(clock.now().getTime() + 1000);
    const expected: StoredMfaSecret[] = [];
    for (const index of times(10)) {
      const { id } = await signUp(stores, records);
      if (index === 0) continue;
      const setup = records.pendingMfa(id, index === 1 ? { expiresAt: soon } : {});
      await stores.mfa.startSetup(setup);
      if (index % 3 === 0) await stores.mfa.enable(id, { secret: setup.secret, step: 1, backupCodeHashes: ['code'] });
      if (index === 2) await stores.mfa.remove(id);
      else if (index !== 1) expected.push({ userId: id, secret: setup.secret });
    }
    clock.advance(1000);
    expected.sort((a, b) => (a.userId < b.userId ? -1 : 1));
    expect(await stores.mfa.listSecrets({ after: null, limit: 100 })).toEqual(expected);
    for (const limit of [1, 3, expected.length]) {
      const listed: StoredMfaSecret[] = [];
      for (;;) {
        const page = await stores.mfa.listSecrets({ after: listed.at(-1)?.userId ?? null, limit });
        if (page.length === 0) break;
        expect(page.length).toBeLessThanOrEqual(limit);
        listed.push(...page);
      }
      expect(listed).toEqual(expected);
    }
  });
}

function describeBackupCodes(it: StoreTest): void {
  it('accept a backup code once, from its own user only', async ({ stores, records, processes }) => {
    const [user, other] = [await signUp(stores, records), await signUp(stores, records)];
    await enableMfa(stores, records, user.id, ['code-1', 'code-2']);
    await enableMfa(stores, records, other.id, ['code-2', 'code-3']);
    expect(await stores.mfa.consumeBackupCode(user.id, 'code-3')).toBe(false);
    expect(await stores.mfa.consumeBackupCode(user.id, 'CODE-2')).toBe(false);
    expect(await processes[0].mfa.consumeBackupCode(user.id, 'code-2')).toBe(true);
    for (const each of [stores, ...processes]) expect(await each.mfa.consumeBackupCode(user.id, 'code-2')).toBe(false);
    expect(await stores.mfa.find(user.id)).toMatchObject({ backupCodesRemaining: 1 });
    expect(await stores.mfa.find(other.id)).toMatchObject({ backupCodesRemaining: 2 });
  });

  it('no longer accept old backup codes after new ones were stored', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    const factor = await enableMfa(stores, records, id, ['code-1', 'code-2']);
    expect(await stores.mfa.replaceBackupCodes(id, ['code-2', 'code-4', 'code-5'])).toBe(true);
    expect(await stores.mfa.find(id)).toEqual({ ...factor, backupCodesRemaining: 3 });
    for (const [hash, isGood] of [['code-1', false] as const, ['code-2', true] as const, ['code-4', true] as const]) {
      expect(await stores.mfa.consumeBackupCode(id, hash)).toBe(isGood);
    }
    expect(await stores.mfa.replaceBackupCodes(id, [])).toBe(true);
    expect(await stores.mfa.find(id)).toEqual({ ...factor, backupCodesRemaining: 0 });
  });

  it('have no backup codes unless they are active', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    expect(await stores.mfa.replaceBackupCodes(id, ['code-1'])).toBe(false);
    await stores.mfa.startSetup(records.pendingMfa(id));
    expect(await stores.mfa.replaceBackupCodes(id, ['code-1'])).toBe(false);
    expect(await stores.mfa.consumeBackupCode(id, 'code-1')).toBe(false);
    await enableMfa(stores, records, id, []);
    expect(await stores.mfa.find(id)).toMatchObject({ backupCodesRemaining: 0 });
  });

  it('restore used and replaced codes when the transaction is rolled back', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    const factor = await enableMfa(stores, records, id, ['code-1', 'code-2']);
    await expectRolledBack(stores, async (inside) => {
      await inside.mfa.consumeBackupCode(id, 'code-1');
      expect(await inside.mfa.find(id)).toMatchObject({ backupCodesRemaining: 1 });
      await inside.mfa.replaceBackupCodes(id, ['code-3']);
    });
    expect(await stores.mfa.find(id)).toEqual(factor);
    expect(await stores.mfa.consumeBackupCode(id, 'code-3')).toBe(false);
    expect(await stores.mfa.consumeBackupCode(id, 'code-1')).toBe(true);
  });
}

function describeRemoval(it: StoreTest): void {
  it('are removed with their backup codes, and can be set up again', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    const { secret } = await enableMfa(stores, records, id, ['code-1']);
    expect(await stores.mfa.remove(id)).toBe(true);
    expect(await stores.mfa.remove(id)).toBe(false);
    expect(await stores.mfa.find(id)).toBeNull();
    expect(await stores.mfa.acceptStep(id, { secret, step: 2000, lockedAt })).toBe(false);
    expect(await stores.mfa.consumeBackupCode(id, 'code-1')).toBe(false);
    // The steps of a new secret have nothing to do with those of the old one.
    const setup = records.pendingMfa(id);
    expect(await stores.mfa.startSetup(setup)).toBe(true);
    expect(await stores.mfa.enable(id, { secret: setup.secret, step: 5, backupCodeHashes: ['code-1'] })).toBe(true);
    expect(await stores.mfa.find(id)).toMatchObject({ secret: setup.secret, lastStep: 5, backupCodesRemaining: 1 });
  });

  it("are removed while pending, too, and no other user's are", async ({ stores, records }) => {
    const [user, other] = [await signUp(stores, records), await signUp(stores, records)];
    const factor = await enableMfa(stores, records, other.id);
    await stores.mfa.startSetup(records.pendingMfa(user.id));
    expect(await stores.mfa.remove(user.id)).toBe(false);
    expect(await stores.mfa.findPending(user.id)).toBeNull();
    expect(await stores.mfa.remove(records.userId())).toBe(false);
    expect(await stores.mfa.find(other.id)).toEqual(factor);
  });

  it('are restored when the transaction that removed them is rolled back', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    const factor = await enableMfa(stores, records, id);
    await expectRolledBack(stores, async (inside) => {
      expect(await inside.mfa.remove(id)).toBe(true);
      expect(await inside.mfa.startSetup(records.pendingMfa(id))).toBe(true);
    });
    expect(await stores.mfa.find(id)).toEqual(factor);
    expect(await stores.mfa.findPending(id)).toBeNull();
  });
}
