import { setTimeout as sleep } from 'node:timers/promises';
import { type EntityRow, type EntityValues, MigrationError, type Stores } from '@x/store';
import { all } from '@x/store/where';
import { expect, it } from 'vitest';
import type { EvolvingDatabase } from './evolving-database.ts';
import { convertedEntities, originalEntities, toLabel } from './killed-declarations.ts';
import { sampleId } from './sample-entities.ts';

/** Describes that a migration may be killed anywhere, and the version before go on, until one comes to its end. */
export function describeKilledMigrations(createDatabase: () => Promise<EvolvingDatabase>, rounds: number): void {
  it(
    'continue after processes were killed anywhere, between which the version before writes',
    { timeout: 600_000 },
    async () => {
      const database = await createDatabase();
      try {
        const old = await database.open(originalEntities);
        await old.migrate();
        const rows = await addRows(old, 2500);
        for (let kill = 0; kill < 2 + rounds && (await runsStill(old)); kill += 1) {
          await changeRows(old, rows, kill);
          const batches = kill % 6 === 5 ? null : 1 + (kill % 2);
          const child = await database.startMigration(batches);
          if (batches === null) await sleep(kill % 13);
          await changeWeights(old, rows, kill).catch(async (error: unknown) => {
            // The migration has come to its end meanwhile, which the version before does not survive.
            if (await runsStill(old)) throw error;
          });
          await (batches === null ? child.kill() : child.ended);
        }
        const newer = await database.open(convertedEntities);
        await newer.migrate({ allowContract: true });
        const found = new Map((await readAll(newer)).map((row) => [row.id, row]));
        expect(found).toEqual(new Map([...rows].map(([id, row]) => [id, toConverted(row)])));
      } finally {
        await database.drop();
      }
    },
  );
}

/** Rows of the version before, by their ids. */
type Rows = Map<string, Row>;

interface Row extends EntityValues {
  readonly id: string;
  readonly rank: number | null;
  readonly weight: number | null;
  readonly length: number | null;
}

async function addRows(stores: Stores, count: number): Promise<Rows> {
  const rows: Rows = new Map();
  for (let at = 0; at < count; at += 1) {
    const id = sampleId();
    rows.set(id, {
      id,
      rank: at % 7 === 0 ? null : at,
      weight: at % 5 === 0 ? null : at,
      length: at % 3 === 0 ? null : at,
    });
  }
  const added = [...rows.values()];
  for (let start = 0; start < count; start += 250) {
    await stores.transaction(async (tx) => {
      for (const row of added.slice(start, start + 250)) await tx.entities.create('notes', row);
    });
  }
  return rows;
}

/** Says whether the version before may write: a conversion that has ended is what it must have ended before. */
async function runsStill(old: Stores): Promise<boolean> {
  try {
    await old.migrate();
    return true;
  } catch (error) {
    if (error instanceof MigrationError) return false;
    throw error;
  }
}

/** Writes what is converted, also in rows that are converted already, and a new one. */
async function changeRows(old: Stores, rows: Rows, kill: number): Promise<void> {
  const ids = [...rows.keys()];
  for (const [at, rank] of [
    [kill, -kill],
    [1200 + kill, null],
    [2400 - kill, 10_000 + kill],
  ] as const) {
    const id = ids[at] ?? '';
    await old.entities.update('notes', id, { values: { rank }, where: all });
    rows.set(id, { ...toRow(rows, id), rank });
  }
  const added = { id: sampleId(), rank: kill, weight: null, length: kill % 2 === 0 ? null : kill };
  await old.entities.create('notes', added);
  rows.set(added.id, added);
}

/** Writes what is widened and what is copied, at any time. */
async function changeWeights(old: Stores, rows: Rows, kill: number): Promise<void> {
  const ids = [...rows.keys()];
  for (const [at, weight] of [
    [100 + kill, kill],
    [2000 + kill, null],
  ] as const) {
    const id = ids[at] ?? '';
    const values = { weight, length: weight === null ? kill : null };
    await old.entities.update('notes', id, { values, where: all });
    rows.set(id, { ...toRow(rows, id), ...values });
  }
}

function toRow(rows: Rows, id: string): Row {
  return rows.get(id) ?? { id, rank: null, weight: null, length: null };
}

/** Reads in pages: a thousand questions at once would wait for each other. */
async function readAll(stores: Stores): Promise<readonly EntityRow[]> {
  const rows: EntityRow[] = [];
  for (let hasMore = true; hasMore;) {
    const after = rows.length === 0 ? null : [rows.at(-1)?.id ?? ''];
    const page = await stores.entities.list('notes', { where: all, order: byId, after, limit: 500 });
    rows.push(...page.records.map(({ row }) => row));
    ({ hasMore } = page);
  }
  return rows;
}

const byId = [{ column: 'id', direction: 'asc' }] as const;

function toConverted({ id, rank, weight, length }: Row): EntityRow {
  return { id, label: rank === null ? 'none' : toLabel(rank), weight, size: length ?? -1, state: 'old' };
}
