import fc from 'fast-check';
import { describe, expect } from 'vitest';
import type { EntityRow, EntityStore } from '../../entity/entities.ts';
import { matches } from '../../where/matches.ts';
import { all, type Where } from '../../where/where.ts';
import type { StoreTest } from '../store-test.ts';
import { anyRow, anyWhere, isDecimalSample } from '../where/any-where.ts';
import { filterCases, filterRows } from '../where/filter-cases.ts';

/** Describes that an engine means by every condition what `matches` means. */
export function describeEntityConditions(it: StoreTest): void {
  describe('conditions', () => {
    it('select the rows that every public filter case names', async ({ stores: { entities } }) => {
      await Promise.all(filterRows.map((row) => entities.create('filter-rows', row)));
      for (const { name, where, expected } of filterCases) {
        expect(await select(entities, 'filter-rows', where), name).toEqual(expected.toSorted());
      }
    });

    it('select the rows that matches() accepts', async ({ stores: { entities }, rounds }) => {
      const agrees = fc.asyncProperty(rows, wheres, async (given, conditions) => {
        await Promise.all(given.map((row) => entities.create('samples', row)));
        for (const where of conditions) {
          const expected = given
            .filter((row) => matches(where, row, { isDecimal: isDecimalSample }))
            .map(({ id }) => id);
          expect(await select(entities, 'samples', where), JSON.stringify(where)).toEqual(expected.toSorted());
        }
        await Promise.all(given.map(({ id }) => entities.delete('samples', id, { where: all })));
      });
      await fc.assert(agrees, { numRuns: 20 * rounds, endOnFailure: true });
    });

    it('select them in a transaction, too, among the rows that it wrote', async ({ stores, rounds }) => {
      const agrees = fc.asyncProperty(rows, wheres, async (given, conditions) => {
        const undone = stores.transaction(async ({ entities }) => {
          for (const row of given) await entities.create('samples', row);
          for (const where of conditions.slice(0, 10)) {
            const expected = given.filter((row) => matches(where, row, { isDecimal: isDecimalSample })).length;
            expect(await entities.count('samples', where), JSON.stringify(where)).toBe(expected);
          }
          throw new RangeError('undo');
        });
        await expect(undone).rejects.toThrow(RangeError);
      });
      await fc.assert(agrees, { numRuns: 3 * rounds, endOnFailure: true });
    });
  });
}

const rows: fc.Arbitrary<readonly EntityRow[]> = fc.uniqueArray(anyRow, {
  minLength: 5,
  maxLength: 25,
  selector: ({ id }) => id,
});

const wheres = fc.array(anyWhere, { minLength: 60, maxLength: 60 });

async function select(entities: EntityStore, entity: string, where: Where): Promise<readonly string[]> {
  const order = [{ column: 'id', direction: 'asc' }] as const;
  const { records } = await entities.list(entity, { where, order, after: null, limit: 1000 });
  return records.map(({ row }) => row.id);
}
