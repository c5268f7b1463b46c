import type { EntityPage, EntityRecord, TransactionStores } from '@x/store';
import { isIn } from '@x/store/where';
import type { Entity } from '../definition/entity.ts';
import { defaultOrder } from '../query/parse-list-query.ts';

/** Rows by the values of a column. */
interface RowsByValue {
  readonly entity: Pick<Entity, 'name'>;
  readonly column: string;
  readonly values: readonly string[];
}

/** How many values a statement looks for, and how many rows it reads. */
const atOnce = 500;

/** Reads the rows that have one of some values in a column, a page at a time. */
export async function* readRows(
  { entities }: Pick<TransactionStores, 'entities'>,
  { entity, column, values }: RowsByValue,
): AsyncIterable<EntityRecord> {
  for (const batch of batchesOf(values, atOnce)) {
    const where = isIn(column, batch);
    let after: readonly string[] | null = null;
    do {
      const page: EntityPage = await entities.list(entity.name, { where, order: defaultOrder, after, limit: atOnce });
      yield* page.records;
      const last: string | undefined = page.records.at(-1)?.row.id;
      after = page.hasMore && last !== undefined ? [last] : null;
    } while (after);
  }
}

/** Divides values into what one statement takes. */
export function* batchesOf(values: readonly string[], size: number): Iterable<readonly string[]> {
  for (let from = 0; from < values.length; from += size) yield values.slice(from, from + size);
}
