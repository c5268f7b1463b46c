import type { TransactionStores } from '@x/store';
import { isIn } from '@x/store/where';

/** Reads the names of organizations, by their ids. */
export async function readNames(
  { entities }: TransactionStores,
  organizationIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(organizationIds)];
  const { records } = await entities.list('organizations', {
    where: isIn('id', ids),
    order: [{ column: 'id', direction: 'asc' }],
    after: null,
    limit: Math.max(1, ids.length),
  });
  return new Map(records.map(({ row }) => [row.id, (row as unknown as { readonly name: string }).name]));
}
