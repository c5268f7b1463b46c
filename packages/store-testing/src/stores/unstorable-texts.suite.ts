import type { Stores, TransactionStores, UserId } from '@x/store';
import { all, isIn, type Where } from '@x/store/where';
import { describe, expect } from 'vitest';
import { listGranted } from '../access/granted-resources.suite.ts';
import { sampleTask } from '../entity/sample-entities.ts';
import type { SampleRecords } from '../sample-records.ts';
import { signUp } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';

const texts = ['\0', 'a\0b', '\ud800', 'a\udc00b', '\udfff\ud800'];

/** Describes what every engine does with texts that not every engine can keep. */
export function describeUnstorableTexts(it: StoreTest): void {
  describe('a text with U+0000 or half a surrogate pair', () => {
    it('is refused in every argument', async ({ stores, records }) => {
      for (const text of texts) {
        for (const [name, call] of Object.entries(callsWith(text, records))) {
          const outcome = await call(stores).then(
            () => 'none',
            (error: unknown) => (error as { readonly code?: unknown }).code,
          );
          expect([name, text, outcome]).toEqual([name, text, 'VALIDATION_FAILED']);
        }
      }
      const user = 'ada' as UserId;
      expect(await stores.roleAssignments.listByUser(user)).toEqual([]);
      expect(await stores.hierarchy.descendants(place)).toEqual([]);
      expect(await stores.entities.count('tasks', all)).toBe(0);
    });

    it('does not end the transaction in which it is refused', async ({ stores, records }) => {
      for (const text of texts) {
        await stores.transaction(async (inside) => {
          for (const call of Object.values(callsWith(text, records))) {
            await expect(call(inside)).rejects.toMatchObject({ status: 400 });
          }
          await expect(inside.lock(text)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
          await inside.counters.add('committed', 1);
        });
      }
      expect(await stores.counters.read('committed')).toBe(texts.length);
    });

    it('is kept in JSON', async ({ stores, records }) => {
      const json = { texts, ['\0']: '\ud800' };
      const { id } = await signUp(stores, records, { fields: json });
      expect(await stores.users.findById(id)).toMatchObject({ fields: json });
      const event = await stores.events.append(records.event({ userId: id, detail: json }));
      expect((await stores.events.listByUser(id, { limit: 1, after: null })).items).toEqual([event]);
      expect(event.detail).toEqual(json);
      const { row } = await stores.entities.create('tasks', sampleTask({ detail: json }));
      expect(row['detail']).toEqual(json);
      const where: Where = all;
      const changed = await stores.entities.update('tasks', row.id, { where, values: { detail: [json] } });
      expect(changed?.row['detail']).toEqual([json]);
    });
  });
}

type Call = (stores: TransactionStores | Stores) => Promise<unknown>;

const place = { type: 'project', id: 'p' };

/** One call of each kind of store, and of each way in which a text gets into a statement. */
function callsWith(text: string, records: SampleRecords): Readonly<Record<string, Call>> {
  const user = 'ada' as UserId;
  const resource = { type: 'task', id: text };
  const where = (condition: Partial<Where> & { readonly type: Where['type'] }): Where =>
    ({ column: 'title', ...condition }) as Where;
  const always: Where = all;
  const comparisons: readonly Where[] = [
    where({ type: 'compare', operator: 'eq', value: text }),
    where({ type: 'in', values: ['a', text] }),
    where({ type: 'text', operator: 'contains', value: text }),
  ];
  return {
    user: ({ users }) => users.create(records.user({ tenantId: text })),
    login: ({ users }) => users.findByLoginEmail(text),
    event: ({ events }) => events.append(records.event({ type: text })),
    counter: ({ counters }) => counters.add(text, 1),
    attempt: ({ rateLimits }) => rateLimits.check(text, 1, 1000),
    id: ({ oneTimeIds }) => oneTimeIds.claim(text, new Date(8.64e15)),
    account: ({ oauthAccounts }) => oauthAccounts.findUserId('provider', text),
    role: ({ roleAssignments }) => roleAssignments.assign({ userId: user, resource: place, role: text }),
    grantor: ({ roleAssignments }) =>
      roleAssignments.assign({ userId: user, resource: place, role: 'viewer' }, { by: text }),
    path: ({ roleAssignments }) => roleAssignments.readPaths(user, [resource]),
    paths: ({ roleAssignments }) => roleAssignments.readPaths(user, [place, resource]),
    grantedPage: ({ roleAssignments }) =>
      roleAssignments.listGranted(
        { userId: user, type: 'task', roles: ['editor'], inheritance: [] },
        { after: text, limit: 1 },
      ),
    grantees: ({ roleAssignments }) =>
      roleAssignments.listGrantees({ resource, roles: ['editor'], inheritance: [] }, { after: null, limit: 1 }),
    granted: (stores) =>
      listGranted(stores, { userId: user, type: 'task', roles: ['editor'], inheritance: [], from: [resource] }),
    attached: ({ hierarchy }) => hierarchy.attach({ child: resource, parent: place }),
    above: ({ hierarchy }) => hierarchy.ancestors(resource),
    flag: ({ flags }) => flags.set({ tenantId: text, name: 'beta' }, true),
    flags: ({ flags }) => flags.readMany([{ tenantId: null, name: text }]),
    plan: ({ subscriptions }) => subscriptions.assign({ tenantId: text, planName: 'pro', group: 'base' }),
    overrides: ({ subscriptions }) => subscriptions.updateOverrides('tenant', { [text]: { max: 1 } }),
    wallet: ({ wallets }) =>
      wallets.consume({
        tenantId: 'tenant',
        receiptId: 'receipt',
        debits: [{ limit: text, periodStart: new Date(0), amount: 1, max: 1 }],
      }),
    cell: ({ entities }) => entities.create('tasks', sampleTask({ title: text })),
    rowId: ({ entities }) => entities.create('tasks', sampleTask({ id: text })),
    change: ({ entities }) => entities.update('tasks', 'a', { where: always, values: { title: text } }),
    row: ({ entities }) => entities.get('tasks', text, always),
    rows: ({ entities }) => entities.deleteAll('tasks', isIn('title', [text])),
    ...Object.fromEntries(
      comparisons.map((condition): [string, Call] => [
        condition.type,
        ({ entities }) => entities.count('tasks', condition),
      ]),
    ),
  };
}
