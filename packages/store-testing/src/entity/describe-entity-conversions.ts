import type { EntityColumn, EntityTable, EntityValues, MigrateOptions, Stores } from '@x/store';
import { all, eq } from '@x/store/where';
import { expect } from 'vitest';
import type { VersionTest } from './describe-entity-versions.ts';
import { sampleId } from './sample-entities.ts';

const title: EntityColumn = { name: 'title', type: 'text', nullable: false };
const rank: EntityColumn = { name: 'rank', type: 'integer', nullable: true };
const wideRank: EntityColumn = { ...rank, type: 'number' };
const textRank: EntityColumn = { ...rank, type: 'text', convert: (old) => `rank ${Number(old)}` };
const allowContract: MigrateOptions = { allowContract: true };

function toNotes(...columns: readonly EntityColumn[]): EntityTable {
  return { name: 'notes', columns, indexes: [] };
}

/** Describes how the values of a column become those of another type. */
export function describeConversions(it: VersionTest): void {
  it('widen an integer to a number beside the version before, which may go on writing', async ({ start }) => {
    const { stores: old } = await start([toNotes(title, rank)]);
    const before = await addNote(old, { title: 'Before', rank: 3 });
    const empty = await addNote(old, { title: 'Empty' });
    const next: EntityTable = { ...toNotes(title, wideRank), indexes: [['rank']] };
    const { stores: newer } = await start([next]);
    expect((await start([next])).outcome.waiting.map((step) => step.title)).toEqual(['drop the former notes.rank']);
    const byOld = await addNote(old, { title: 'Old', rank: 4 });
    const byNewer = await addNote(newer, { title: 'Newer', rank: 2.25 });
    const huge = await addNote(newer, { title: 'Huge', rank: -1e300 });
    expect(await ranksOf(newer, [before, empty, byOld, byNewer, huge])).toEqual([3, null, 4, 2.25, -1e300]);
    expect(await ranksOf(old, [byNewer, huge])).toEqual([2, Number.MIN_SAFE_INTEGER]);
    await old.entities.update('notes', byNewer, { values: { title: 'Changed' }, where: all });
    await old.entities.update('notes', before, { values: { rank: 5 }, where: all });
    await newer.entities.update('notes', byOld, { values: { rank: 0.5 }, where: all });
    expect(await ranksOf(newer, [before, byOld, byNewer])).toEqual([5, 0.5, 2.25]);
    const { stores: again } = await start([toNotes(title, rank)]);
    await again.entities.update('notes', before, { values: { rank: null }, where: all });
    expect(await ranksOf(newer, [before])).toEqual([null]);
  });

  it('widen what has a default in rows whose version does not know it', async ({ start }) => {
    const cost: EntityColumn = { name: 'cost', type: 'decimal', nullable: true, decimal: { precision: 6, scale: 2 } };
    const first = await start([toNotes(title)]);
    const second = await start([toNotes(title, { ...rank, default: 7 }, { ...cost, default: '1.5' })]);
    const wideCost: EntityColumn = { ...cost, decimal: { precision: 9, scale: 3 } };
    const third = await start([toNotes(title, { ...wideRank, default: 7 }, { ...wideCost, default: '1.5' })]);
    const ids = [
      await addNote(first.stores, { title: 'First' }),
      await addNote(second.stores, { title: 'Second', rank: 7, cost: '1.50' }),
      await addNote(second.stores, { title: 'Second', rank: 8, cost: '-2.25' }),
      await addNote(third.stores, { title: 'Third', rank: null, cost: null }),
      await addNote(third.stores, { title: 'Third', rank: 7.5, cost: '1.001' }),
    ];
    expect(await ranksOf(third.stores, ids)).toEqual([7, 7, 8, null, 7.5]);
    expect(await valuesOf(third.stores, 'cost', ids)).toEqual(['1.500', '1.500', '-2.250', null, '1.001']);
    expect(await valuesOf(second.stores, 'cost', ids)).toEqual(['1.50', '1.50', '-2.25', null, '1.00']);
  });

  it('give a widened column back to the version before, with what was written meanwhile', async ({ start }) => {
    const { stores: old } = await start([toNotes(title, rank)]);
    const id = await addNote(old, { title: 'Old', rank: 3 });
    const { stores: newer } = await start([toNotes(title, wideRank)]);
    await newer.entities.update('notes', id, { values: { rank: 4 }, where: all });
    const { stores: back } = await start([toNotes(title, rank)], { revert: true });
    expect(await ranksOf(back, [id])).toEqual([4]);
    const { stores: last } = await start([toNotes(title, wideRank)], { ...allowContract, revert: true });
    expect(await ranksOf(last, [id])).toEqual([4]);
    await start([toNotes(title, wideRank)], allowContract);
    await last.entities.update('notes', id, { values: { rank: 4.5 }, where: all });
    expect(await ranksOf(last, [id, await addNote(last, { title: 'New', rank: 0.5 })])).toEqual([4.5, 0.5]);
  });

  it('give the name of a column that was widened and renamed to a new one', async ({ start }) => {
    const { stores: old } = await start([toNotes(title, rank)]);
    const id = await addNote(old, { title: 'Old', rank: 3 });
    await start([toNotes(title, wideRank)]);
    const level: EntityColumn = { ...wideRank, name: 'level', renamedFrom: 'rank' };
    await start([toNotes(title, level)]);
    const { stores } = await start([toNotes(title, level, rank)]);
    await stores.entities.update('notes', id, { values: { level: 4.5 }, where: all });
    expect([await ranksOf(stores, [id]), await valuesOf(stores, 'level', [id])]).toEqual([[null], [4.5]]);
  });

  it('write more digits before the point of a decimal at once', async ({ start }) => {
    const cost: EntityColumn = { name: 'cost', type: 'decimal', nullable: false, decimal: { precision: 4, scale: 2 } };
    const { stores: old } = await start([toNotes(title, cost)]);
    const id = await addNote(old, { title: 'Old', cost: '12.50' });
    const { stores } = await start([toNotes(title, { ...cost, decimal: { precision: 8, scale: 2 } })]);
    await stores.entities.update('notes', id, { values: { cost: '123456.75' }, where: all });
    expect(await valuesOf(stores, 'cost', [id])).toEqual(['123456.75']);
    const narrow: EntityColumn = { ...cost, decimal: { precision: 3, scale: 1 } };
    await expect(start([toNotes(title, narrow)], allowContract)).rejects.toThrow(
      "notes.cost: its number of decimals can't change without a convert",
    );
  });

  it('convert values to another type and name in batches, once that is allowed', async ({ database, start }) => {
    const { stores: old } = await start([toNotes(title, rank)]);
    const ids = Array.from({ length: 1001 }, () => sampleId());
    for (let start = 0; start < ids.length; start += 143) {
      await old.transaction(async (tx) => {
        for (const [at, id] of [...ids.entries()].slice(start, start + 143)) {
          await tx.entities.create('notes', { id, title: 'Old', rank: at % 10 === 0 ? null : at });
        }
      });
    }
    const next = [
      toNotes(title, { ...textRank, name: 'label', nullable: false, renamedFrom: 'rank', backfill: 'none' }),
    ];
    await expect(start(next)).rejects.toThrow(
      'convert notes.rank, now notes.label, from integer to text: rows need it',
    );
    const planned = await (await database.open(next)).planMigration();
    expect(planned.steps.map(({ kind, rows }) => [kind, rows])).toEqual([['contract', 900]]);
    const rows: number[] = [];
    const { stores: newer } = await start(next, {
      ...allowContract,
      onProgress: (progress) => rows.push(progress.rows),
    });
    expect(rows).toEqual([1000, 1001]);
    expect(await valuesOf(newer, 'label', ids.slice(0, 2))).toEqual(['none', 'rank 1']);
    expect(await newer.entities.get('notes', ids[1] ?? '', all)).toMatchObject({ version: 2 });
    expect(await newer.entities.count('notes', eq('label', 'none'))).toBe(101);
    await expect(start([toNotes(title, rank)])).rejects.toThrow('notes.rank: a newer declaration');
    const { outcome } = await start(next, allowContract);
    expect(outcome.waiting).toEqual([]);
    await expect(start([toNotes(title, rank)])).rejects.toThrow('notes.rank: a newer declaration has replaced it');
  });

  it('convert nothing that was converted before it stopped, except what changed since', async ({ start }) => {
    const { stores: old } = await start([toNotes(title, rank)]);
    const [first, second] = [await addNote(old, { title: 'A', rank: 1 }), await addNote(old, { title: 'B', rank: 2 })];
    const failing: EntityColumn = {
      ...textRank,
      convert(value) {
        if (value === 2) throw new Error('secret 2');
        return String(Number(value));
      },
    };
    const failure = await start([toNotes(title, failing)], allowContract).catch((error: unknown) => String(error));
    expect(failure).toContain('notes.rank: its convert threw');
    expect(failure).not.toContain('secret');
    const { stores: again } = await start([toNotes(title, rank)]);
    await again.entities.update('notes', first, { values: { rank: 10 }, where: all });
    const third = await addNote(again, { title: 'C', rank: 3 });
    const { stores: newer } = await start([toNotes(title, textRank)], allowContract);
    expect(await ranksOf(newer, [first, second, third])).toEqual(['rank 10', 'rank 2', 'rank 3']);
  });

  it.for<[string, Partial<EntityColumn>, string]>([
    ['a value of another type', { type: 'text', convert: () => 5 }, "returned what the column can't hold"],
    [
      'null where it may not be',
      { type: 'text', nullable: false, convert: () => null },
      "returned what the column can't hold",
    ],
    [
      'a value that is not declared',
      { type: 'text', values: ['a'], convert: () => 'b' },
      'returned none of the declared values',
    ],
    [
      'an id that nothing has',
      { type: 'text', references: { entity: 'notes', onDelete: 'cascade' }, convert: () => 'x' },
      'returned an id that nothing has',
    ],
  ])('refuse %s that a convert returns, and keep the old', async ([, change, problem], { start }) => {
    const { stores: old } = await start([toNotes(title, rank)]);
    const id = await addNote(old, { title: 'Old', rank: 3 });
    await expect(start([toNotes(title, { ...rank, ...change })], allowContract)).rejects.toThrow(
      `notes.rank: its convert ${problem}`,
    );
    const { stores: back } = await start([toNotes(title, rank)]);
    expect(await ranksOf(back, [id])).toEqual([3]);
  });

  it('convert to every type, and from each', async ({ start }) => {
    const at = new Date(86_400_000);
    const kinds: readonly (readonly [Omit<EntityColumn, 'name' | 'nullable'>, NonNullable<EntityValues[string]>])[] = [
      [{ type: 'integer' }, 5],
      [{ type: 'text' }, '5 "\\ {}'],
      [{ type: 'number' }, -0.5],
      [{ type: 'json' }, { a: [1, '"'] }],
      [{ type: 'boolean' }, true],
      [{ type: 'decimal', decimal: { precision: 4, scale: 1 } }, '-1.5'],
      [{ type: 'timestamp' }, at],
      [{ type: 'date' }, '2026-01-31'],
      [{ type: 'text', values: ['low', 'high'] }, 'high'],
    ];
    let id = '';
    for (const [index, [kind, value]] of kinds.entries()) {
      const seen: unknown[] = [];
      const convert = (old: unknown): typeof value => {
        seen.push(old);
        return value;
      };
      const column: EntityColumn = { ...kind, name: 'rank', nullable: true, convert };
      const { stores } = await start([toNotes(title, column)], allowContract);
      if (index === 0) id = await addNote(stores, { title: 'Old', rank: value as number });
      else expect(seen).toEqual([kinds[index - 1]?.[1]]);
      expect(await ranksOf(stores, [id])).toEqual([value]);
    }
  });
}

async function ranksOf(stores: Stores, ids: readonly string[]): Promise<readonly unknown[]> {
  return valuesOf(stores, 'rank', ids);
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
