import type { EntityRecord, Stores } from '@x/store';
import { all, eq } from '@x/store/where';
import { expect } from 'vitest';
import { concurrently, times } from '../concurrently.ts';
import type { StoreTest } from '../store-test.ts';
import { sampleId, sampleTask } from './sample-entities.ts';

const ofAda = eq('ownerId', 'ada');

/** Describes what is guaranteed while several processes change rows at once. */
export function describeEntityRaces(it: StoreTest): void {
  describeChangeRaces(it);
  describeConflictRaces(it);
  describeManyRows(it);
  describeAuditRaces(it);
}

function describeAuditRaces(it: StoreTest): void {
  it('logs each audited row that goes with another, also one that is added meanwhile', async ({
    stores,
    processes,
  }) => {
    const { entities, events } = stores;
    const cause = { tenantId: 't' };
    const ledger = sampleId();
    await entities.create('ledgers', { id: ledger, name: 'Ledger' });
    await concurrently(processes, times(41), async (each, index) =>
      index === 20
        ? each.entities.deleteAll('ledgers', eq('id', ledger), cause)
        : // It is refused as soon as the ledger is gone.
          each.entities.create('ledger-lines', { id: sampleId(), ledgerId: ledger }, cause).catch(() => null),
    );
    expect(await entities.count('ledger-lines', all)).toBe(0);
    const { items } = await events.listByTenant('t', { limit: 100, after: null });
    const idsOf = (type: string): readonly string[] =>
      items
        .filter((event) => event.type === type && event.detail['entity'] === 'ledger-lines')
        .flatMap(({ detail }) => detail['ids'] as unknown as readonly string[])
        .toSorted();
    expect(idsOf('record.deleted')).toEqual(idsOf('record.created'));
  });
}

/** Describes changes of many rows, which take as long as races. */
function describeManyRows(it: StoreTest): void {
  it('deletes all of many rows or none, also if they refer to each other', async ({ stores }) => {
    const { entities } = stores;
    const [first, last] = [sampleTask({ id: '0' }), sampleTask({ id: 'z' })];
    const others = Array.from({ length: 5200 }, () => sampleTask());
    const rows = [first, ...others, last];
    // A transaction for all could take longer than one may.
    for (let start = 0; start < rows.length; start += 500) {
      await stores.transaction(async (inside) => {
        for (const row of rows.slice(start, start + 500)) await inside.entities.create('tasks', row);
      });
    }
    const stays = sampleTask({ ownerId: 'eve', nextId: last.id });
    await entities.create('tasks', stays);
    await expect(entities.deleteAll('tasks', ofAda)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await entities.count('tasks', ofAda)).toBe(5202);
    await entities.update('tasks', stays.id, { values: { nextId: null }, where: all });
    await entities.update('tasks', last.id, { values: { nextId: first.id }, where: all });
    await entities.update('tasks', first.id, { values: { nextId: last.id }, where: all });
    expect(await entities.deleteAll('tasks', ofAda)).toBe(5202);
  });
}

function describeChangeRaces(it: StoreTest): void {
  it('accepts exactly one of 40 changes of the same version', async ({ stores, processes }) => {
    const id = sampleId();
    await stores.entities.create('tasks', sampleTask({ id }));
    const changes = await concurrently(processes, times(40), (each, index) =>
      each.entities.update('tasks', id, { values: { points: index }, where: all, version: 1 }),
    );
    const made = changes.filter((change) => change !== null);
    expect(made).toHaveLength(1);
    expect(await stores.entities.get('tasks', id, all)).toEqual(made[0]);
  });

  it('loses none of 40 changes of any version, and returns no version twice', async ({ stores, processes }) => {
    const id = sampleId();
    await stores.entities.create('tasks', sampleTask({ id }));
    const changes = await concurrently(processes, times(40), (each, index) =>
      each.entities.update('tasks', id, { values: { points: index }, where: all }),
    );
    expect(changes.map((change) => change?.version).toSorted((a = 0, b = 0) => a - b)).toEqual(
      times(40).map((index) => index + 2),
    );
  });

  it('does not change a row that concurrently stops satisfying the condition', async ({
    stores,
    processes,
    rounds,
  }) => {
    for (let round = 0; round < 10 * rounds; round += 1) {
      const id = sampleId();
      await stores.entities.create('tasks', sampleTask({ id }));
      const steps = ['move', 'change', 'delete', 'change'] as const;
      const [moved, ...others] = await concurrently(processes, steps, (each, step) => {
        if (step === 'move') return each.entities.update('tasks', id, { values: { ownerId: 'eve' }, where: ofAda });
        if (step === 'delete') return each.entities.delete('tasks', id, { where: ofAda });
        return each.entities.update('tasks', id, { values: { title: 'Seen' }, where: ofAda });
      });
      const stored = await stores.entities.get('tasks', id, all);
      expect(stored === null).toBe(others[1] !== null);
      // A row that was changed after the move would have a higher version.
      if (stored) expect(stored).toEqual(moved);
    }
  });

  it('lets 12 transactions lock the same rows in different orders without a deadlock', async ({
    stores,
    processes,
  }) => {
    const ids = times(12).map(() => sampleId());
    for (const id of ids) await stores.entities.create('tasks', sampleTask({ id }));
    await concurrently(processes, times(12), (each, start) =>
      each.transaction(async ({ entities }) => {
        const order = [...ids.slice(start), ...ids.slice(0, start)];
        await entities.lock('tasks', order, all);
        for (const id of order) await entities.update('tasks', id, { values: { points: start }, where: ofAda });
      }),
    );
    const found = await Promise.all(ids.map((id) => stores.entities.get('tasks', id, all)));
    expect(found.map((record) => record?.version)).toEqual(ids.map(() => 13));
    expect(new Set(found.map((record) => record?.row['points'])).size).toBe(1);
  });

  it('deletes each row exactly once under 8 deletions of the same rows and changes of all of them', async ({
    stores,
    processes,
    rounds,
  }) => {
    for (let round = 0; round < 3 * rounds; round += 1) {
      const ids = times(10).map(() => sampleId());
      for (const id of ids) await stores.entities.create('tasks', sampleTask({ id }));
      const counts = await concurrently(processes, times(16), (each, index) =>
        index % 2 === 0
          ? each.entities.deleteAll('tasks', ofAda)
          : each.transaction(async ({ entities }) => {
              await entities.lock('tasks', ids.toReversed(), all);
              for (const id of ids) await entities.update('tasks', id, { values: { points: index }, where: ofAda });
              return 0;
            }),
      );
      expect(counts.filter((count) => count > 0)).toEqual([10]);
    }
  });

  it('lets 12 changes of the same rows at once run one after another without a deadlock', async ({
    stores,
    processes,
  }) => {
    const ids = times(12).map(() => sampleId());
    for (const id of ids) await stores.entities.create('tasks', sampleTask({ id }));
    const counts = await concurrently(processes, times(12), (each, index) =>
      each.entities.updateAll('tasks', { where: ofAda, values: { points: index } }),
    );
    expect(counts).toEqual(ids.map(() => 12));
    const found = await Promise.all(ids.map((id) => stores.entities.get('tasks', id, all)));
    expect(found.map((record) => record?.version)).toEqual(ids.map(() => 13));
    expect(new Set(found.map((record) => record?.row['points'])).size).toBe(1);
  });

  it('returns the row from exactly one of 20 deletions', async ({ stores, processes }) => {
    const id = sampleId();
    await stores.entities.create('tasks', sampleTask({ id }));
    const deleted = await concurrently(processes, times(20), (each) =>
      each.entities.delete('tasks', id, { where: all }),
    );
    expect(deleted.filter((each) => each !== null)).toHaveLength(1);
  });
}

function describeConflictRaces(it: StoreTest): void {
  it('creates exactly one of 40 rows with the same unique value', async ({ stores, processes }) => {
    const outcomes = await concurrently(processes, times(40), (each) =>
      each.entities.create('tasks', sampleTask({ slug: 'wanted' })).catch((error: unknown) => error),
    );
    expect(outcomes.filter((outcome) => !(outcome instanceof Error))).toHaveLength(1);
    for (const outcome of outcomes) if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'CONFLICT' });
    expect(await stores.entities.count('tasks', all)).toBe(1);
  });

  it('creates a row once and changes it 39 times if 40 transactions look for its key first', async ({
    stores,
    processes,
  }) => {
    const write = async (each: Stores): Promise<EntityRecord | null> =>
      each.transaction(async ({ entities }) => {
        const find = (): Promise<EntityRecord | null> => entities.lockByKey('tasks', { slug: 'wanted' }, all);
        const change = async (found: EntityRecord | null): Promise<EntityRecord | null> =>
          found && entities.update('tasks', found.row.id, { values: { points: found.version }, where: all });
        const changed = await change(await find());
        if (changed) return changed;
        return entities.create('tasks', sampleTask({ slug: 'wanted' })).catch(async () => change(await find()));
      });
    const records = await concurrently(processes, times(40), write);
    const versions = records.map((record) => record?.version ?? 0);
    expect(versions.toSorted((a, b) => a - b)).toEqual(times(40).map((index) => index + 1));
    expect(await stores.entities.count('tasks', all)).toBe(1);
  });

  it('leaves no row that refers to one deleted meanwhile', async ({ stores, processes, rounds }) => {
    for (let round = 0; round < 5 * rounds; round += 1) {
      const projectId = sampleId();
      await stores.entities.create('projects', { id: projectId, name: 'Project' });
      const outcomes = await concurrently(processes, times(9), (each, index) =>
        (index === 4
          ? each.entities.delete('projects', projectId, { where: all })
          : each.entities.create('tasks', sampleTask({ projectId }))
        ).catch((error: unknown) => error),
      );
      for (const outcome of outcomes) if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'CONFLICT' });
      expect(await stores.entities.get('projects', projectId, all)).toBeNull();
      const where = eq('projectId', projectId);
      expect(await stores.entities.count('tasks', where)).toBe(0);
    }
  });
}
