import { integer, pgTable, text } from 'drizzle-orm/pg-core';

export const productTable = pgTable('products', {
  id: text().primaryKey(),
  name: text().notNull(),
  stock: integer().notNull(),
});
