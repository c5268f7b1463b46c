import type { Resource, TransactionStores, WalletCounter } from '@x/store';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { awkwardTexts } from '../awkward-values.ts';
import { expectRolledBack } from '../in-transaction.ts';
import type { SampleRecords } from '../sample-records.ts';
import type { StoreTest } from '../store-test.ts';
import { knownPeriods, readSnapshot, readSnapshotApart } from './read-tenant-snapshot.ts';

/** Describes what the stores of tenant snapshots do, where there are any. */
export function describeTenantSnapshots(it: StoreTest): void {
  describe('tenant snapshots', () => {
    describeParts(it);
    describeAgreement(it);
  });
}

const acme: Resource = { type: 'organization', id: 'acme' };

const { first, zero, january, february, march, last } = knownPeriods;

function describeParts(it: StoreTest): void {
  it('are empty for an unknown user in an unknown tenant', async ({ stores, records }) => {
    const asked = { userId: records.userId(), tenant: acme };
    const plans = { tenantId: 'acme', subscriptions: [], addOns: [], overrides: [] };
    const granted = { resource: acme, roles: [], rolesByGroup: [], parents: [] };
    const nothing = { granted, plans, flags: [], latestUsages: [] };
    expect(await readSnapshot(stores, { ...asked, flags: [], limits: [] })).toEqual(nothing);
    expect(await readSnapshot(stores, { ...asked, flags: ['beta'], limits: ['a', 'b', 'c'] })).toEqual({
      ...nothing,
      flags: [null],
      latestUsages: [null, null, null],
    });
  });

  it('contain the roles, plans, flags and consumption of the user and the tenant', async ({ stores, records }) => {
    const [userId, otherId] = [records.userId(), records.userId()];
    const group: Resource = { type: 'group', id: 'holding' };
    await stores.hierarchy.attach({ child: acme, parent: group });
    for (const [user, resource, role] of [
      [userId, acme, 'owner'],
      [userId, acme, 'member'],
      [userId, group, 'auditor'],
      [userId, { type: 'organization', id: 'other' }, 'guest'],
      [userId, { type: 'project', id: 'acme' }, 'guest'],
      [otherId, acme, 'guest'],
    ] as const) {
      await stores.roleAssignments.assign({ userId: user, resource, role });
    }
    for (const tenantId of ['other', 'acme']) {
      await stores.subscriptions.assign({
        tenantId,
        planName: `pro of ${tenantId}`,
        group: 'base',
        startedAt: january,
        expiresAt: march,
      });
      await stores.subscriptions.assign({ tenantId, planName: 'gold', group: 'support', startedAt: february });
      await stores.subscriptions.attach({ tenantId, addOn: 'extra', quantity: tenantId.length });
      await stores.subscriptions.updateOverrides(tenantId, { tasks: { max: -1 }, seats: { max: tenantId.length } });
      await consume(stores, records, { tenantId, limit: 'tasks', periodStart: january, amount: tenantId.length });
    }
    await stores.flags.set({ tenantId: null, name: 'beta' }, true);
    await stores.flags.set({ tenantId: 'acme', name: 'beta' }, false);
    await stores.flags.set({ tenantId: null, name: 'for all' }, true);
    await stores.flags.set({ tenantId: 'other', name: 'of the other' }, true);
    const flags = ['of the other', 'beta', 'for all'];
    expect(await readSnapshot(stores, { userId, tenant: acme, flags, limits: ['tasks'] })).toEqual({
      granted: {
        resource: acme,
        roles: ['member', 'owner'],
        rolesByGroup: [],
        parents: [{ resource: group, roles: ['auditor'], rolesByGroup: [], parents: [] }],
      },
      plans: {
        tenantId: 'acme',
        subscriptions: [
          { group: 'base', planName: 'pro of acme', startedAt: january, expiresAt: march },
          { group: 'support', planName: 'gold', startedAt: february, expiresAt: null },
        ],
        addOns: [{ name: 'extra', quantity: 4 }],
        overrides: [
          { name: 'seats', max: 4 },
          { name: 'tasks', max: -1 },
        ],
      },
      flags: [null, false, true],
      latestUsages: [{ periodStart: january, consumed: 4 }],
    });
  });

  it('contain the consumption of the period that began last', async ({ stores, records }) => {
    for (const [limit, periodStart, amount] of [
      ['tasks', february, 2],
      ['tasks', march, 3],
      ['tasks', january, 1],
      ['ever', zero, 7],
      ['before', first, 5],
      ['far', last, Number.MAX_SAFE_INTEGER],
    ] as const) {
      await consume(stores, records, { tenantId: 'acme', limit, periodStart, amount });
    }
    const limits = ['far', 'never', 'tasks', 'ever', 'before'];
    const { latestUsages } = await readSnapshot(stores, { userId: records.userId(), tenant: acme, flags: [], limits });
    expect(latestUsages).toEqual([
      { periodStart: last, consumed: Number.MAX_SAFE_INTEGER },
      null,
      { periodStart: march, consumed: 3 },
      { periodStart: zero, consumed: 7 },
      { periodStart: first, consumed: 5 },
    ]);
  });

  it('show a transaction its own changes', async ({ stores, records }) => {
    const question = { userId: records.userId(), tenant: acme, flags: ['beta'], limits: ['tasks'] };
    const before = await readSnapshot(stores, question);
    await expectRolledBack(stores, async (inside) => {
      await inside.roleAssignments.assign({ userId: question.userId, resource: acme, role: 'owner' });
      await inside.flags.set({ tenantId: 'acme', name: 'beta' }, true);
      await consume(inside, records, { tenantId: 'acme', limit: 'tasks', periodStart: january, amount: 1 });
      expect(await readSnapshot(inside, question)).toMatchObject({
        granted: { roles: ['owner'] },
        flags: [true],
        latestUsages: [{ periodStart: january, consumed: 1 }],
      });
    });
    expect(await readSnapshot(stores, question)).toEqual(before);
  });
}

function describeAgreement(it: StoreTest): void {
  it('agree with the stores that they combine on any texts', async ({ stores, records, rounds }) => {
    const texts = fc.constantFrom(...awkwardTexts);
    const some = fc.uniqueArray(texts, { maxLength: 5 });
    const step = fc.record({
      tenant: texts,
      text: texts,
      isForAll: fc.boolean(),
      amount: fc.integer({ min: 1, max: 9 }),
    });
    const users = [records.userId(), records.userId()];
    let run = 0;
    const agrees = fc.asyncProperty(fc.array(step, { maxLength: 6 }), texts, some, async (steps, tenant, names) => {
      run += 1;
      const own = (text: string): string => `${run} ${text}`;
      await stores.transaction(async (inside) => {
        for (const { tenant: text, text: name, isForAll, amount } of steps) {
          const tenantId = own(text);
          const userId = users[amount % 2] ?? expect.unreachable();
          await inside.roleAssignments.assign({ userId, resource: { type: 'organization', id: tenantId }, role: name });
          await inside.flags.set({ tenantId: isForAll ? null : tenantId, name: own(name) }, amount % 2 === 0);
          await inside.subscriptions.assign({ tenantId, planName: name, group: `group ${name}`, startedAt: january });
          await inside.subscriptions.attach({ tenantId, addOn: name, quantity: amount });
          await inside.subscriptions.updateOverrides(tenantId, { [`limit ${name}`]: { max: amount } });
          await consume(inside, records, { tenantId, limit: own(name), periodStart: january, amount });
        }
      });
      for (const userId of users) {
        const [flags, limits] = [names.map(own), names.map(own).toReversed()];
        const question = { userId, tenant: { type: 'organization', id: own(tenant) }, flags, limits };
        expect(await readSnapshot(stores, question)).toEqual(await readSnapshotApart(stores, question));
      }
    });
    await fc.assert(agrees, { numRuns: 4 * rounds });
  });
}

async function consume(
  { wallets }: TransactionStores,
  records: SampleRecords,
  { tenantId, ...debit }: Pick<WalletCounter, 'tenantId' | 'limit' | 'periodStart'> & { readonly amount: number },
): Promise<void> {
  await wallets.consume({ tenantId, receiptId: records.tokenHash(), debits: [{ ...debit, max: -1 }] });
}
