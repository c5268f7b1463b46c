import { describe, expect } from 'vitest';
import { awkwardTexts } from '../awkward-values.ts';
import { expectRolledBack } from '../in-transaction.ts';
import { signUp, enableMfa } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';
import { describeMfaRaces } from './mfa-races.suite.ts';

/** Describes what every store of second factors does. */
export function describeMfa(it: StoreTest): void {
  describe('second factors', () => {
    describeSetup(it);
    describeEnabling(it);
    describeSteps(it);
    describeBackupCodes(it);
    describeRemoval(it);
    describeMfaRaces(it);
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
    const factor = { userId: id, secret, lastStep: 57_000_000, backupCodesRemaining: 2, enabledAt: clock.now() };
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
      expect(await other.mfa.acceptStep(id, { secret, step })).toBe(isAccepted);
    }
    expect(await stores.mfa.find(id)).toEqual({ ...factor, secret, lastStep: 1003 });
  });

  it('accept a step only for the active secret that it was verified against', async ({ stores, records }) => {
    const [user, other] = [await signUp(stores, records), await signUp(stores, records)];
    const factor = await enableMfa(stores, records, user.id);
    const setup = records.pendingMfa(other.id);
    await stores.mfa.startSetup(setup);
    expect(await stores.mfa.acceptStep(user.id, { secret: setup.secret, step: 2000 })).toBe(false);
    expect(await stores.mfa.acceptStep(other.id, { secret: setup.secret, step: 2000 })).toBe(false);
    expect(await stores.mfa.acceptStep(other.id, { secret: factor.secret, step: 2000 })).toBe(false);
    expect(await stores.mfa.acceptStep(records.userId(), { secret: factor.secret, step: 2000 })).toBe(false);
    expect(await stores.mfa.find(user.id)).toEqual(factor);
  });

  it('accept a step again when the transaction that accepted it is rolled back', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    const { secret } = await enableMfa(stores, records, id);
    await expectRolledBack(stores, async (inside) => {
      expect(await inside.mfa.acceptStep(id, { secret, step: 1001 })).toBe(true);
      expect(await inside.mfa.acceptStep(id, { secret, step: 1001 })).toBe(false);
    });
    expect(await stores.mfa.acceptStep(id, { secret, step: 1001 })).toBe(true);
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
    expect(await stores.mfa.acceptStep(id, { secret, step: 2000 })).toBe(false);
    expect(await stores.mfa.consumeBackupCode(id, 'code-1')).toBe(false);
    // The steps of a new secret have nothing to do with those of the old one.
    const setup = records.pendingMfa(id);
    expect(await stores.mfa.startSetup(setup)).toBe(true);
    expect(await stores.mfa.enable(id, { secret: setup.secret, step: 5, backupCodeHashes: ['code-1'] })).toBe(true);
    expect(await stores.mfa.find(id)).toMatchObject({ secret: setup.secret, lastStep: 5, backupCodesRemaining: 1 });
  });

  it("are removed while pending, too, and nobody else's are", async ({ stores, records }) => {
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
