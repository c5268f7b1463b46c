import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { matches } from '../where/matches.ts';
import type { Where } from '../where/where.ts';
import { anyRow, anyWhere, type SampleColumn, sampleColumns, type SampleRow } from './any-where.ts';
import { filterCases, filterColumns, filterRows } from './filter-cases.ts';

/** Rows that conditions can be asked of. */
export interface ConditionTable {
  /** Returns the ids of the rows that a condition is true of, in any order. */
  select(where: Where): Promise<readonly string[]>;

  /** Puts rows in the place of all that are there. */
  replace(rows: readonly SampleRow[]): Promise<void>;

  /** Removes the table. */
  drop(): Promise<void>;
}

/** Makes an empty table with the columns, all of which but the text `id` may be null. */
export type CreateConditionTable = (columns: readonly SampleColumn[]) => Promise<ConditionTable>;

/** How thoroughly the suite runs. */
export interface DescribeConditionsOptions {
  /** How many tables of generated rows are asked {@link wheresPerTable} generated conditions each. */
  readonly tables: number;
}

/** Describes, as a Vitest suite, that an engine means by every condition what `matches` means. */
export function describeConditions(
  name: string,
  createTable: CreateConditionTable,
  { tables }: DescribeConditionsOptions,
): void {
  describe(`conditions on ${name}`, { timeout: 20_000 + 500 * tables }, () => {
    describeFilterCases(createTable);
    describeGenerated(createTable, tables);
  });
}

const wheresPerTable = 50;

function describeFilterCases(createTable: CreateConditionTable): void {
  describe('the public filter cases', () => {
    let table: ConditionTable;
    beforeAll(async () => {
      table = await createTable(filterColumns);
      await table.replace(filterRows);
    });
    afterAll(async () => table.drop());

    test.for(filterCases)('$name', async ({ where, expected }) => {
      expect((await table.select(where)).toSorted()).toEqual(expected.toSorted());
    });
  });
}

function describeGenerated(createTable: CreateConditionTable, tables: number): void {
  test('any condition is true of the rows that matches() accepts', async () => {
    const table = await createTable(sampleColumns);
    const rows = fc.uniqueArray(anyRow, { minLength: 5, maxLength: 25, selector: ({ id }) => id });
    const wheres = fc.array(anyWhere, { minLength: wheresPerTable, maxLength: wheresPerTable });
    const agrees = fc.asyncProperty(rows, wheres, async (given, conditions) => {
      await table.replace(given);
      for (const where of conditions) {
        const expected = given.filter((row) => matches(where, row)).map(({ id }) => id);
        expect((await table.select(where)).toSorted(), JSON.stringify(where)).toEqual(expected.toSorted());
      }
    });
    await fc.assert(agrees, { numRuns: tables, endOnFailure: true });
    await table.drop();
  });
}
