import type { Kysely } from 'kysely';

export interface Tables {
  readonly products: { readonly id: string; readonly name: string; readonly stock: number };
}

/** Creates the tables of Kysely; with more of them, its `Migrator` does. */
export async function createTables(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('products')
    .ifNotExists()
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('stock', 'integer', (column) => column.notNull())
    .execute();
  const products = [
    { id: 'tea', name: 'Tea', stock: 5 },
    { id: 'cup', name: 'Cup', stock: 1 },
  ];
  await db
    .insertInto('products')
    .values(products)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
