import { expect } from 'vitest';
import { concurrently, times } from '../concurrently.ts';
import { signUp, stored, enableMfa } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';

/** So many wrong codes in a row lock a second factor in most of these tests. */
const lockedAt = 100;

/** Describes what is guaranteed while several processes work on the second factor of one user. */
export function describeMfaRaces(it: StoreTest): void {
  describeCodeRaces(it);
  describeSecretRaces(it);
  describeSetupRaces(it);
  describeDeletionRace(it);
}

function describeCodeRaces(it: StoreTest): void {
  it('accepts exactly one of 40 concurrent uses of a step', async ({ stores, records, processes }) => {
    const { id } = await signUp(stores, records);
    const { secret } = await enableMfa(stores, records, id);
    const uses = await concurrently(processes, times(40), async (each) =>
      each.mfa.acceptStep(id, { secret, step: 1001, lockedAt }),
    );
    expect(uses.filter(Boolean)).toHaveLength(1);
  });

  it('accepts no step after a later one, in any order', async ({ stores, records, processes }) => {
    const { id } = await signUp(stores, records);
    const { secret } = await enableMfa(stores, records, id);
    const accepted: number[] = [];
    await concurrently(processes, times(40), async (each, index) => {
      const step = 1001 + ((index * 7) % 10);
      await each.transaction(async (inside) => {
        if (await inside.mfa.acceptStep(id, { secret, step, lockedAt })) accepted.push(step);
      });
    });
    expect(new Set(accepted).size).toBe(accepted.length);
    expect(accepted).toContain(1010);
    expect(await stores.mfa.find(id)).toMatchObject({ lastStep: 1010 });
  });

  it('gives each of 40 concurrent wrong codes a number of its own', async ({ stores, records, processes }) => {
    const { id } = await signUp(stores, records);
    await enableMfa(stores, records, id);
    const counts = await concurrently(processes, times(40), async (each) => each.mfa.countWrongCode(id));
    expect(counts.toSorted((a, b) => a - b)).toEqual(times(40).map((index) => index + 1));
    expect(await stores.mfa.find(id)).toMatchObject({ wrongCodes: 40 });
  });

  it('accepts no step once concurrent wrong codes are too many', async ({ stores, records, processes, rounds }) => {
    const { id } = await signUp(stores, records);
    const { secret } = await enableMfa(stores, records, id);
    for (let round = 0; round < 5 * rounds; round += 1) {
      // The order in which the steps took effect, as each transaction saw it.
      const seen: string[] = [];
      await concurrently(processes, times(24), async (each, index) =>
        each.transaction(async (inside) => {
          if (index % 6 !== 5) seen.push((await inside.mfa.countWrongCode(id)) < 5 ? 'wrong' : 'locked');
          else if (await inside.mfa.acceptStep(id, { secret, step: 2000 + 100 * round + index, lockedAt: 5 }))
            seen.push('accepted');
        }),
      );
      const locked = seen.indexOf('locked');
      if (locked >= 0) expect(seen.slice(locked)).not.toContain('accepted');
      await stores.mfa.replaceBackupCodes(id, ['open']);
      await stores.mfa.consumeBackupCode(id, 'open');
    }
  });

  it('accepts exactly one of 40 concurrent uses of a backup code', async ({ stores, records, processes }) => {
    const { id } = await signUp(stores, records);
    await enableMfa(stores, records, id, ['code-1', 'code-2']);
    const uses = await concurrently(processes, times(40), async (each) => each.mfa.consumeBackupCode(id, 'code-1'));
    expect(uses.filter(Boolean)).toHaveLength(1);
    expect(await stores.mfa.find(id)).toMatchObject({ backupCodesRemaining: 1 });
  });

  it('lets another call use a step after the first use is rolled back', async ({ stores, records, processes }) => {
    const { id } = await signUp(stores, records);
    const { secret } = await enableMfa(stores, records, id);
    const uses = await concurrently(processes, times(16), async (each, index) => {
      const using = each.transaction(async (inside) => {
        const isAccepted = await inside.mfa.acceptStep(id, { secret, step: 1001, lockedAt });
        if (isAccepted && index % 4 !== 3) throw new RangeError('no');
        return isAccepted;
      });
      return using.catch((error: unknown) => error);
    });
    expect(uses.filter((use) => use === true)).toHaveLength(1);
    expect(uses.filter((use) => typeof use !== 'boolean' && !(use instanceof RangeError))).toEqual([]);
  });

  it('keeps exactly one complete set after 20 concurrent replacements of backup codes', async ({
    stores,
    records,
    processes,
  }) => {
    const { id } = await signUp(stores, records);
    await enableMfa(stores, records, id);
    await concurrently(processes, times(20), async (each, index) =>
      each.mfa.replaceBackupCodes(id, [`${index}-a`, `${index}-b`, `${index}-c`]),
    );
    expect(await stores.mfa.find(id)).toMatchObject({ backupCodesRemaining: 3 });
    const left: number[] = [];
    for (const index of times(20)) if (await stores.mfa.consumeBackupCode(id, `${index}-a`)) left.push(index);
    expect(left).toHaveLength(1);
    for (const part of ['b', 'c']) expect(await stores.mfa.consumeBackupCode(id, `${left[0]}-${part}`)).toBe(true);
  });
}

function describeSecretRaces(it: StoreTest): void {
  it('replaces a secret by exactly one of 20 concurrent calls that expect it', async ({
    stores,
    records,
    processes,
  }) => {
    const { id } = await signUp(stores, records);
    const { secret } = await enableMfa(stores, records, id);
    const replacements = await concurrently(processes, times(20), async (each, index) =>
      each.mfa.replaceSecret(id, { expected: secret, next: `next-${index}` }),
    );
    expect(replacements.filter(Boolean)).toHaveLength(1);
    expect(await stores.mfa.find(id)).toMatchObject({ secret: `next-${replacements.indexOf(true)}` });
  });

  it('keeps the secret of a setup that starts while the older one is replaced', async ({
    stores,
    records,
    processes,
    rounds,
  }) => {
    const [first, second, third] = processes;
    for (let round = 0; round < 10 * rounds; round += 1) {
      const { id } = await signUp(stores, records);
      const { secret } = await enableMfa(stores, records, id);
      const setup = records.pendingMfa(id);
      const [, isStarted] = await Promise.all([
        first.mfa.replaceSecret(id, { expected: secret, next: 'next' }),
        second.transaction(async (inside) => (await inside.mfa.remove(id)) && inside.mfa.startSetup(setup)),
        third.mfa.listSecrets({ after: null, limit: 100 }),
      ]);
      expect(isStarted).toBe(true);
      expect(await stores.mfa.findPending(id)).toEqual(setup);
    }
  });
}

function describeSetupRaces(it: StoreTest): void {
  it('enables a setup by exactly one of 20 concurrent first codes, with its backup codes', async ({
    stores,
    records,
    processes,
  }) => {
    const { id } = await signUp(stores, records);
    const { secret } = records.pendingMfa(id);
    await stores.mfa.startSetup(records.pendingMfa(id, { secret }));
    const starts = await concurrently(processes, times(20), async (each, index) =>
      each.mfa.enable(id, { secret, step: index, backupCodeHashes: [`${index}-a`, `${index}-b`] }),
    );
    expect(starts.filter(Boolean)).toHaveLength(1);
    const winner = starts.indexOf(true);
    expect(await stores.mfa.find(id)).toMatchObject({ lastStep: winner, backupCodesRemaining: 2 });
    for (const part of ['a', 'b']) expect(await stores.mfa.consumeBackupCode(id, `${winner}-${part}`)).toBe(true);
  });

  it('never replaces an active factor by a concurrent setup and first code', async ({
    stores,
    records,
    processes,
    rounds,
  }) => {
    const [first, second] = processes;
    const { id } = await signUp(stores, records);
    for (let round = 0; round < 10 * rounds; round += 1) {
      const [older, newer] = [records.pendingMfa(id), records.pendingMfa(id)];
      await stores.mfa.startSetup(older);
      const [isOn, isReplaced] = await Promise.all([
        first.mfa.enable(id, { secret: older.secret, step: 1, backupCodeHashes: ['code-1'] }),
        second.mfa.startSetup(newer),
      ]);
      expect(isOn).toBe(!isReplaced);
      expect((await stores.mfa.find(id))?.secret).toBe(isOn ? older.secret : undefined);
      expect((await stores.mfa.findPending(id))?.secret).toBe(isOn ? undefined : newer.secret);
      await stores.mfa.remove(id);
    }
  });
}

function describeDeletionRace(it: StoreTest): void {
  it('changes second factors and deletes their user concurrently without a deadlock', async ({
    stores,
    records,
    processes,
    rounds,
  }) => {
    for (let round = 0; round < 3 * rounds; round += 1) {
      const user = await signUp(stores, records);
      const { secret } = await enableMfa(stores, records, user.id);
      await concurrently(processes, times(12), async (each, index) => {
        if (index === 6) return stored(await each.users.delete(user.id));
        return each.transaction(async (inside) => {
          const isAccepted =
            index % 2 === 0
              ? await inside.mfa.consumeBackupCode(user.id, `code-${index}`)
              : await inside.mfa.acceptStep(user.id, { secret, step: 1001 + index, lockedAt });
          if (isAccepted) await inside.sessions.create(records.session(user.id), { maxActive: 50 });
        });
      });
      expect(await stores.mfa.find(user.id)).toBeNull();
      expect(await stores.sessions.countActive(user.id)).toBe(0);
    }
  });
}
