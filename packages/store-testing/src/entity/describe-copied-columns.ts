import type { EntityColumn, EntityTable, EntityValues, MigrateOptions, Stores } from '@x/store';
import { all } from '@x/store/where';
import { expect } from 'vitest';
import type { VersionTest } from './describe-entity-versions.ts';
import { sampleId } from './sample-entities.ts';

const title: EntityColumn = { name: 'title', type: 'text', nullable: true };
const rank: EntityColumn = { name: 'rank', type: 'integer', nullable: true };
const required: EntityColumn = { ...rank, nullable: false };
const size: EntityColumn = { name: 'size', type: 'number', nullable: false, backfillFrom: 'rank' };
const allowContract: MigrateOptions = { allowContract: true };

const toNotes = (...columns: readonly EntityColumn[]): EntityTable => ({ name: 'notes', columns, indexes: [] });

/** Describes how a new column takes the values of another one. */
export function describeCopiedColumns(it: VersionTest): void {
  it('take the values of another column, in rows of versions before as well, and are independent of it then', async ({
    start,
  }) => {
    const { stores: old } = await start([toNotes(required)]);
    const before = await addNote(old, { rank: 3 });
    const next = [toNotes(required, size)];
    const { stores: newer } = await start(next);
    expect((await newer.entities.get('notes', before, all))?.version).toBe(1);
    const byOld = await addNote(old, { rank: 4 });
    const byNewer = await addNote(newer, { rank: 5, size: 0.5 });
    await newer.entities.update('notes', before, { values: { rank: 30 }, where: all });
    await old.entities.update('notes', byNewer, { values: { rank: 50 }, where: all });
    expect(await valuesOf(newer, 'size', [before, byOld, byNewer])).toEqual([3, 4, 0.5]);
    expect(await valuesOf(old, 'rank', [before, byOld, byNewer])).toEqual([30, 4, 50]);
    const again = await start(next, allowContract);
    expect([again.outcome.taken, again.outcome.waiting]).toEqual([[], []]);
    await start([toNotes(size)], allowContract);
    const { stores: last } = await start([toNotes({ ...size, backfillFrom: 'other' })], allowContract);
    expect(await valuesOf(last, 'size', [before, byOld, await addNote(last, { size: 7 })])).toEqual([3, 4, 7]);
  });

  it('follow a column that is no longer declared, as long as versions before write that', async ({ start }) => {
    const label: EntityColumn = { name: 'label', type: 'text', nullable: true, backfillFrom: 'title' };
    const { stores: old } = await start([toNotes(title, rank)]);
    const before = await addNote(old, { title: 'Before', rank: 1 });
    const next = [toNotes({ ...size, default: -1 }, label, { ...label, name: 'other' })];
    const { stores: newer, outcome } = await start(next);
    expect(outcome.taken.map((step) => [step.kind, step.title])).toEqual([
      ['expand', 'fill notes.size from notes.rank'],
      ['expand', 'fill notes.label from notes.title'],
      ['expand', 'fill notes.other from notes.title'],
    ]);
    const byOld = await addNote(old, { title: 'Old', rank: null });
    const byNewer = await addNote(newer, { size: 5, label: null, other: 'Own' });
    const changed = await addNote(old, { title: 'Old', rank: 8 });
    await newer.entities.update('notes', changed, { values: { label: 'Own' }, where: all });
    await old.entities.update('notes', before, { values: { title: 'Later', rank: 2 }, where: all });
    await old.entities.update('notes', changed, { values: { rank: null }, where: all });
    const ids = [before, byOld, byNewer, changed];
    expect(await valuesOf(newer, 'size', ids)).toEqual([2, -1, 5, -1]);
    expect(await valuesOf(newer, 'label', ids)).toEqual(['Later', 'Old', null, 'Own']);
    expect(await valuesOf(newer, 'other', ids)).toEqual(['Later', 'Old', 'Own', 'Old']);
    const { outcome: last, stores } = await start(next, allowContract);
    expect(last.taken.map((step) => step.title).toSorted()).toEqual(['drop notes.rank', 'drop notes.title']);
    expect(await valuesOf(stores, 'size', [...ids, await addNote(stores, { size: 9 })])).toEqual([2, -1, 5, -1, 9]);
  });

  it('take the values of a column that went in a release before, until it is dropped', async ({ start }) => {
    const { stores: old } = await start([toNotes(title, rank)]);
    const first = await addNote(old, { title: 'First', rank: 3 });
    const { stores: between } = await start([toNotes(title)]);
    const second = await addNote(between, { title: 'Second' });
    const { stores } = await start([toNotes(title, { ...size, default: 0.5 })]);
    expect(await valuesOf(stores, 'size', [first, second])).toEqual([3, 0.5]);
  });

  it('end once the other column is declared again, or null is a value of their own', async ({ start }) => {
    const { stores: old } = await start([toNotes(required)]);
    const id = await addNote(old, { rank: 3 });
    await start([toNotes(size)]);
    const { stores, outcome } = await start([toNotes({ ...size, backfillFrom: 'rank' }, { ...rank, default: 1 })], {
      revert: true,
    });
    expect(outcome.taken.map((step) => step.title)).toEqual(['no longer fill notes.size from another field']);
    await stores.entities.update('notes', id, { values: { rank: 9 }, where: all });
    expect(await valuesOf(stores, 'size', [id, await addNote(stores, { rank: 5, size: 6 })])).toEqual([3, 6]);
    const copy: EntityColumn = { ...size, name: 'copy', backfillFrom: 'size' };
    const { stores: next } = await start([toNotes(size, copy)]);
    const { stores: last } = await start([toNotes(size, { ...copy, nullable: true })]);
    const byNext = await addNote(next, { size: 1, copy: 2 });
    const whole: EntityColumn = { ...required, default: 1 };
    const half: EntityColumn = { ...whole, name: 'half', backfillFrom: 'rank' };
    const wider = [toNotes(whole, half), toNotes(whole, { ...half, type: 'number' })].map((table) => ({
      ...table,
      name: 'memos',
    }));
    await start([{ ...toNotes(whole), name: 'memos' }]);
    await start(wider.slice(0, 1));
    const { stores: widened } = await start(wider.slice(1));
    const memo = await widened.entities.create('memos', { id: sampleId(), rank: 3, half: 1.25 });
    expect((await widened.entities.get('memos', memo.row.id, all))?.row['half']).toBe(1.25);
    expect(await valuesOf(last, 'copy', [id, byNext, await addNote(last, { size: 4, copy: null })])).toEqual([
      3,
      2,
      null,
    ]);
  });

  it('copy values of every type', async ({ start }) => {
    const kinds: readonly (readonly [Omit<EntityColumn, 'name' | 'nullable'>, NonNullable<EntityValues[string]>])[] = [
      [{ type: 'integer' }, 5],
      [{ type: 'text' }, '5 "\\ {}'],
      [{ type: 'number' }, -0.5],
      [{ type: 'json' }, { a: [1, '"'] }],
      [{ type: 'boolean' }, false],
      [{ type: 'decimal', decimal: { precision: 4, scale: 1 } }, '-1.5'],
      [{ type: 'timestamp' }, new Date(86_400_000)],
      [{ type: 'date' }, '2026-01-31'],
      [{ type: 'text', values: ['low', 'high'] }, 'high'],
    ];
    const columns = kinds.map(([kind], at): EntityColumn => ({ ...kind, name: `c${at}`, nullable: false }));
    const copies = columns.map((column): EntityColumn => ({
      ...column,
      name: `${column.name}Copy`,
      backfillFrom: column.name,
    }));
    const values = Object.fromEntries(kinds.map(([, value], at) => [`c${at}`, value]));
    const { stores: old } = await start([toNotes(...columns)]);
    const before = await addNote(old, values);
    const { stores } = await start([toNotes(...copies)]);
    const ids = [before, await addNote(old, values)];
    for (const [at, [, value]] of kinds.entries()) {
      expect(await valuesOf(stores, `c${at}Copy`, ids)).toEqual([value, value]);
      await old.entities.update('notes', before, { values: { [`c${at}`]: value }, where: all });
    }
    const longer = {
      ...copies[5],
      name: 'longer',
      decimal: { precision: 9, scale: 3 },
      backfillFrom: 'c5Copy',
    } as EntityColumn;
    const { stores: last } = await start([toNotes(...copies, longer)]);
    expect(await valuesOf(last, 'longer', ids)).toEqual(['-1.500', '-1.500']);
  });

  it('take what is null from the default, or stop the start, and wait where versions before may write null', async ({
    start,
    database,
  }) => {
    const { stores: old } = await start([toNotes(rank)]);
    const given = await addNote(old, { rank: 3 });
    const planned = await (await database.open([toNotes(rank, size)])).planMigration();
    expect(planned.steps.map((step) => [step.kind, step.title, step.rows])).toEqual([
      ['contract', 'fill notes.size from notes.rank', 1],
    ]);
    await expect(start([toNotes(rank, size)])).rejects.toThrow('it waits for allowContract');
    const missing = await addNote(old, { rank: null });
    await expect(start([toNotes(rank, size)], allowContract)).rejects.toThrow(
      'notes.size: 1 rows have null in rank; give it a default',
    );
    const { stores } = await start([toNotes(rank, { ...size, default: 0.5 })]);
    expect(await valuesOf(stores, 'size', [given, missing, await addNote(old, { rank: null })])).toEqual([3, 0.5, 0.5]);
  });

  it('fill a column that becomes required from another one, which may go away', async ({ start }) => {
    const optional: EntityColumn = { ...size, nullable: true };
    const { stores: old } = await start([toNotes(required, optional)]);
    const ids = [await addNote(old, { rank: 3, size: null }), await addNote(old, { rank: 4, size: 0.5 })];
    const { stores, outcome } = await start([toNotes(size)], allowContract);
    expect(outcome.taken.map((step) => step.title)).toEqual(['fill notes.size where it is null']);
    expect(await valuesOf(stores, 'size', ids)).toEqual([3, 0.5]);
    expect((await start([toNotes(size)], allowContract)).outcome.taken.map((step) => step.title)).toEqual([
      'drop notes.rank',
    ]);
  });

  it.for<[string, Partial<EntityColumn>, string]>([
    ['of another type', { type: 'text' }, "can't take its values from rank: that is integer, and this one text"],
    [
      'that is misspelt',
      { backfillFrom: 'ranks', default: 1 },
      "can't take its values from ranks, which the table does not have, did you mean rank?",
    ],
    ['that is new', { backfillFrom: 'fresh', default: 1 }, "can't take its values from fresh, which is new as well"],
    [
      'with other values',
      { type: 'text', values: ['a'], backfillFrom: 'title' },
      "can't take its values from title, which may have others",
    ],
  ])('refuse a column %s', async ([, change, problem], { start }) => {
    const fresh: EntityColumn = { ...rank, name: 'fresh' };
    await start([toNotes(title, rank)]);
    await expect(start([toNotes(title, rank, fresh, { ...size, ...change })], allowContract)).rejects.toThrow(
      `notes.size: ${problem}`,
    );
  });
}

async function valuesOf(stores: Stores, name: string, ids: readonly string[]): Promise<readonly unknown[]> {
  const records = await Promise.all(ids.map((id) => stores.entities.get('notes', id, all)));
  return records.map((record) => record?.row[name]);
}

async function addNote(stores: Stores, values: EntityValues): Promise<string> {
  const id = sampleId();
  await stores.entities.create('notes', { id, ...values });
  return id;
}
