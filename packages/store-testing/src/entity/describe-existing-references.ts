import type { AppSql, EntityColumn, EntityTable, OwnMigration, Stores } from '@x/store';
import { all, eq, isIn } from '@x/store/where';
import { expect, vi } from 'vitest';
import { maxDelayMs } from '../followed-feed.ts';
import type { VersionTest } from './describe-entity-versions.ts';
import { sampleId } from './sample-entities.ts';

const existing = { columnNames: { id: 'no' }, version: null, isReadOnly: false };

/** A table that a person has made. */
const customers: EntityTable = {
  name: 'customers',
  key: { type: 'integer' },
  existing: { ...existing, table: 'customers' },
  columns: [{ name: 'name', type: 'text', nullable: false }],
  indexes: [],
};

const createCustomers: OwnMigration = {
  id: 'customers',
  up: async (sql) => void (await sql`CREATE TABLE customers (no INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL)`),
};

const customerId: EntityColumn = {
  name: 'customerId',
  type: 'text',
  nullable: true,
  references: { entity: 'customers', onDelete: 'restrict' },
};
const title: EntityColumn = { name: 'title', type: 'text', nullable: true };

const toNotes = (...columns: readonly EntityColumn[]): EntityTable => ({ name: 'notes', columns, indexes: [] });

/** Returns the reference with another effect of a deletion. */
function following(onDelete: 'cascade' | 'setNull'): EntityColumn {
  return { ...customerId, references: { entity: 'customers', onDelete } };
}

/** Describes how tables that we create refer to those that are there without us. */
export function describeExistingReferences(it: VersionTest): void {
  it('refer to a table that a step of the app creates, in the same start', async ({ database }) => {
    const required = { ...customerId, nullable: false };
    const stores = await database.open([toNotes(required), customers], [createCustomers]);
    expect((await stores.planMigration()).problems).toEqual([]);
    await stores.migrate();
    await addCustomers(stores, 7, 10, 9);
    const ids = { first: sampleId(), second: sampleId() };
    await stores.entities.create('notes', { id: ids.first, customerId: '10' });
    await stores.entities.create('notes', { id: ids.second, customerId: '9' });
    for (const customer of ['11', '9223372036854775807']) {
      const lost = stores.entities.create('notes', { id: sampleId(), customerId: customer });
      await expect(lost).rejects.toMatchObject({ code: 'CONFLICT' });
    }
    const order = [{ column: 'customerId', direction: 'asc' } as const, { column: 'id', direction: 'asc' } as const];
    const page = await stores.entities.list('notes', {
      where: isIn('customerId', ['9', '10']),
      order,
      after: null,
      limit: 9,
    });
    expect(page.records.map(({ row }) => row['customerId'])).toEqual(['9', '10']);
    expect(await stores.entities.count('notes', eq('customerId', '9'))).toBe(1);
    const related = { column: 'customerId', values: ['7', '10'], where: all, limitEach: 3 };
    expect((await stores.entities.listRelated('notes', related)).records.map(({ row }) => row.id)).toEqual([ids.first]);
    await vi.waitFor(
      async () =>
        expect((await stores.changes.read('0.0', 9))?.changes.at(-1)?.after).toEqual({
          id: ids.second,
          customerId: '9',
        }),
      { timeout: maxDelayMs },
    );
  });

  it('keep, lose or follow a row that is deleted there, by whoever deletes it', async ({ database, start }) => {
    const created = await database.open([], [createCustomers]);
    await created.migrate();
    const memos = { ...toNotes(following('setNull')), name: 'memos' };
    const bills = { ...toNotes(following('cascade')), name: 'bills' };
    const { stores } = await start([toNotes(customerId), memos, bills, customers]);
    await addCustomers(stores, 1, 2, 3);
    const ids = ['1', '2', '3'];
    for (const id of ids) {
      await stores.entities.create('memos', { id, customerId: id });
      await stores.entities.create('bills', { id, customerId: id });
    }
    await stores.entities.create('notes', { id: '3', customerId: '3' });
    await stores.entities.delete('customers', '1', { where: all });
    await run(stores, (sql) => sql`DELETE FROM customers WHERE no = 2`);
    await expect(stores.entities.delete('customers', '3', { where: all })).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(run(stores, (sql) => sql`DELETE FROM customers WHERE no = 3`)).rejects.toThrow(/foreign key/i);
    const found = await Promise.all(ids.map((id) => stores.entities.get('memos', id, all)));
    expect(found.map((each) => [each?.row['customerId'], each?.version])).toEqual([
      [null, 2],
      [null, 2],
      ['3', 1],
    ]);
    expect(await Promise.all(ids.map(async (id) => (await stores.entities.get('bills', id, all)) !== null))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('convert numbers to references, and these to texts', async ({ database, start }) => {
    const created = await database.open([], [createCustomers]);
    await created.migrate();
    const number: EntityColumn = { name: 'customer', type: 'integer', nullable: true };
    const { stores: old } = await start([toNotes(number), customers]);
    await addCustomers(old, 4, 5);
    const ids = [sampleId(), sampleId(), sampleId()];
    for (const [at, id] of ids.entries())
      await old.entities.create('notes', { id, customer: [4, 5, null][at] ?? null });
    const convert = (value: unknown): string => String(value);
    const renamed = { ...customerId, renamedFrom: 'customer', convert };
    const dangling = { ...renamed, convert: () => '6' };
    for (const failing of [dangling, { ...dangling, convert: () => 'x' }]) {
      const failed = start([toNotes(failing), customers], { allowContract: true });
      await expect(failed).rejects.toThrow('its convert returned an id that nothing has');
    }
    const { stores } = await start([toNotes(renamed), customers], { allowContract: true });
    expect(await customersOf(stores, ids)).toEqual(['4', '5', null]);
    const text: EntityColumn = { ...title, name: 'customerId', convert: (value) => `no. ${Number(value)}` };
    const { stores: last } = await start([toNotes(text), customers], { allowContract: true });
    expect(await customersOf(last, ids)).toEqual(['no. 4', 'no. 5', null]);
  });

  it('are looked up by an index of some rows, whose other rows may have the same', async ({ database, start }) => {
    await (await database.open([], [createCustomers])).migrate();
    const { stores: opened } = await start([customers]);
    await addCustomers(opened, 1, 2);
    const partial = { columns: ['title'], where: eq('customerId', '1'), unique: true };
    const { stores } = await start([{ ...toNotes(title, customerId), partialIndexes: [partial] }, customers]);
    expect(
      (await start([{ ...toNotes(title, customerId), partialIndexes: [partial] }, customers])).outcome.taken,
    ).toEqual([]);
    for (const customer of ['1', '2', '2']) {
      await stores.entities.create('notes', { id: sampleId(), title: 'Same', customerId: customer });
    }
    const twin = stores.entities.create('notes', { id: sampleId(), title: 'Same', customerId: '1' });
    await expect(twin).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('refuse to refer to a view', async ({ database, start }) => {
    const { stores } = await start([]);
    await run(stores, (sql) => sql`CREATE VIEW spenders AS SELECT 1 AS no, 'Ada' AS name`);
    const spenders: EntityTable = {
      ...customers,
      name: 'spenders',
      key: { type: 'text' },
      existing: { ...existing, table: 'spenders', isReadOnly: true },
      columns: [],
    };
    const notes = toNotes({ ...customerId, references: { entity: 'spenders', onDelete: 'restrict' } });
    const problem = 'notes.customerId: spenders is a view, so no table of ours can refer to it';
    expect((await (await database.open([notes, spenders])).planMigration()).problems).toContain(problem);
    await expect(start([notes, spenders])).rejects.toThrow(problem);
  });
}

async function run(stores: Stores, work: (sql: AppSql) => Promise<unknown>): Promise<void> {
  await stores.transaction((tx) => work(tx.sql));
}

async function addCustomers(stores: Stores, ...numbers: readonly number[]): Promise<void> {
  for (const number of numbers) await run(stores, (sql) => sql`INSERT INTO customers VALUES (${number}, 'Ada')`);
}

async function customersOf(stores: Stores, ids: readonly string[]): Promise<readonly unknown[]> {
  const records = await Promise.all(ids.map((id) => stores.entities.get('notes', id, all)));
  return records.map((record) => record?.row['customerId']);
}
