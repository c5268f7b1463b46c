import type { EntityRow, EntityStore } from '@x/store';
import { all, eq, type MatchContext, matches, not, related, type Where } from '@x/store/where';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
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
      await fc.assert(agrees, { numRuns: 5 * rounds, endOnFailure: true });
    });

    it('on rows of another entity select those that matches() accepts', async ({ stores: { entities }, rounds }) => {
      const agrees = fc.asyncProperty(rows, anyLinks, linkWheres, async (given, choices, conditions) => {
        const links = choices.map(({ at, ...link }): EntityRow => ({ ...link, sampleId: given[at]?.id ?? null }));
        await Promise.all(given.map((row) => entities.create('samples', row)));
        await Promise.all(links.map((link) => entities.create('sample-links', link)));
        const findRelated: MatchContext['findRelated'] = (_, id) => {
          const row = given.find((each) => each.id === id);
          return row && { row, context: { isDecimal: isDecimalSample } };
        };
        for (const where of conditions) {
          const expected = links.filter((row) => matches(where, row, { findRelated })).map(({ id }) => id);
          expect(await select(entities, 'sample-links', where), JSON.stringify(where)).toEqual(expected.toSorted());
        }
        await entities.deleteAll('sample-links', all);
        await entities.deleteAll('samples', all);
      });
      await fc.assert(agrees, { numRuns: 5 * rounds, endOnFailure: true });
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
      await fc.assert(agrees, { numRuns: rounds, endOnFailure: true });
    });
  });
}

const rows: fc.Arbitrary<readonly EntityRow[]> = fc.uniqueArray(anyRow, {
  minLength: 5,
  maxLength: 25,
  selector: ({ id }) => id,
});

const wheres = fc.array(anyWhere, { minLength: 60, maxLength: 60 });

/** Rows that refer to one of the samples, or to none. */
const anyLinks = fc.uniqueArray(fc.record({ id: fc.uuid(), at: fc.nat({ max: 8 }), isOpen: fc.option(fc.boolean()) }), {
  minLength: 5,
  maxLength: 25,
  selector: ({ id }) => id,
});

const linkWheres = fc.array(
  fc.letrec<{ where: Where }>((tie) => ({
    where: fc.oneof(
      { maxDepth: 3 },
      {
        weight: 4,
        arbitrary: fc
          .record({ readable: fc.oneof(fc.constant(all), anyWhere), where: anyWhere })
          .map((other) => related('sampleId', { entity: 'samples', ...other })),
      },
      { weight: 1, arbitrary: fc.boolean().map((value) => eq('isOpen', value)) },
      {
        weight: 2,
        arbitrary: fc.record({
          type: fc.constantFrom('and' as const, 'or' as const),
          operands: fc.array(tie('where'), { maxLength: 3 }),
        }),
      },
      { weight: 2, arbitrary: tie('where').map(not) },
    ),
  })).where,
  { minLength: 60, maxLength: 60 },
);

async function select(entities: EntityStore, entity: string, where: Where): Promise<readonly string[]> {
  const order = [{ column: 'id', direction: 'asc' }] as const;
  const { records } = await entities.list(entity, { where, order, after: null, limit: 1000 });
  return records.map(({ row }) => row.id);
}
