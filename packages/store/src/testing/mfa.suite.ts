import { describe, expect } from 'vitest';
import { awkwardTexts } from './awkward-values.ts';
import { expectRolledBack } from './in-transaction.ts';
import { signUp, enableMfa } from './sign-in.ts';
import type { StoreTest } from './store-test.ts';

/** Describes what every store of second factors does. */
export function describeMfa(it: StoreTest): void {
  describe('second factors', () => {
    describeSetup(it);
    describeEnabling(it);
    describeSteps(it);
    describeBackupCodes(it);
    describeRemoval(it);
  });
}

function describeSetup(it: StoreTest): void {
  it('a set-up waits until the millisecond before its time is over', async ({
    stores,
    records,
    processes,
    clock,
  }) => {
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

  it('a newer set-up takes the place of the older one', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    const [older, newer] = [records.pendingMfa(id), records.pendingMfa(id)];
    for (const setup of [older, newer]) expect(await stores.mfa.startSetup(setup)).toBe(true);
    expect(await stores.mfa.findPending(id)).toEqual(newer);
    expect(await stores.mfa.enable(id, { secret: older.secret, step: 1, backupCodeHashes: [] })).toBe(false);
    expect(await stores.mfa.enable(id, { secret: newer.secret, step: 1, backupCodeHashes: [] })).toBe(true);
  });

  it('no set-up starts where the second factor is on, or for nobody', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    const factor = await enableMfa(stores, records, id);
    expect(await stores.mfa.startSetup(records.pendingMfa(id))).toBe(false);
    expect(await stores.mfa.startSetup(records.pendingMfa(records.userId()))).toBe(false);
    expect(await stores.mfa.find(id)).toEqual(factor);
    expect(await stores.mfa.findPending(id)).toBeNull();
  });

  it('any text may be a secret, and what the caller does to a moment later changes nothing', async ({
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
  it('a second factor is on from its first code on', async ({ stores, records, processes, clock }) => {
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

  it("nobody else's secret is turned on, nor one that nobody waits for", async ({ stores, records }) => {
    const [user, other] = [await signUp(stores, records), await signUp(stores, records)];
    const setup = records.pendingMfa(user.id);
    await stores.mfa.startSetup(setup);
    const factor = { secret: setup.secret, step: 1, backupCodeHashes: ['code-1'] };
    expect(await stores.mfa.enable(other.id, factor)).toBe(false);
    expect(await stores.mfa.enable(records.userId(), factor)).toBe(false);
    expect(await stores.mfa.enable(user.id, { ...factor, secret: setup.secret.toUpperCase() })).toBe(false);
    for (const { id } of [user, other]) expect(await stores.mfa.find(id)).toBeNull();
  });

  it('what a transaction that throws turned on waits again', async ({ stores, records }) => {
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
  it('a step is accepted once, and no earlier one after it', async ({ stores, records, processes }) => {
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

  it('a step is accepted of the secret that it was verified against, and of no pending one', async ({
    stores,
    records,
  }) => {
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

  it('a step that was accepted in a transaction that throws can be accepted', async ({ stores, records }) => {
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
  it("a backup code is used once, by its user, and nobody else's", async ({ stores, records, processes }) => {
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

  it('new backup codes void the old ones', async ({ stores, records }) => {
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

  it('there are no backup codes without a second factor that is on', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    expect(await stores.mfa.replaceBackupCodes(id, ['code-1'])).toBe(false);
    await stores.mfa.startSetup(records.pendingMfa(id));
    expect(await stores.mfa.replaceBackupCodes(id, ['code-1'])).toBe(false);
    expect(await stores.mfa.consumeBackupCode(id, 'code-1')).toBe(false);
    await enableMfa(stores, records, id, []);
    expect(await stores.mfa.find(id)).toMatchObject({ backupCodesRemaining: 0 });
  });

  it('codes that were used or replaced in a transaction that throws are good again', async ({ stores, records }) => {
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
  it('what is removed is gone with its backup codes, and another one can be set up', async ({ stores, records }) => {
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

  it('what waits is removed, too, and nobody else loses theirs', async ({ stores, records }) => {
    const [user, other] = [await signUp(stores, records), await signUp(stores, records)];
    const factor = await enableMfa(stores, records, other.id);
    await stores.mfa.startSetup(records.pendingMfa(user.id));
    expect(await stores.mfa.remove(user.id)).toBe(false);
    expect(await stores.mfa.findPending(user.id)).toBeNull();
    expect(await stores.mfa.remove(records.userId())).toBe(false);
    expect(await stores.mfa.find(other.id)).toEqual(factor);
  });

  it('a removal in a transaction that throws gives everything back', async ({ stores, records }) => {
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
