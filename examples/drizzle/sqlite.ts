import { rules } from '@x/access';
import { action, defineService } from '@x/entity';
import { CodedError, unwrap } from '@x/errors';
import { createServer } from '@x/server';
import { listen } from '@x/server/node';
import { createSqliteStores } from '@x/store-sqlite';
import Database from 'better-sqlite3';
import { and, eq, gt, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { z } from 'zod';
import { orders, products } from './entities.ts';

const productTable = sqliteTable('products', {
  id: text().primaryKey(),
  name: text().notNull(),
  stock: integer().notNull(),
});

const shop = defineService({
  name: 'shop',
  actions: {
    // POST /api/shop/buy: all products, or none
    buy: action({
      rule: rules.authenticated(),
      input: z.strictObject({ products: z.array(z.string()).min(1).max(10) }),
      status: 204,
      errors: ['CONFLICT'],
      handler: ({ input, transaction }) =>
        transaction(async ({ stores, entities }) => {
          const db = drizzle(stores.raw as Database.Database); // in the transaction
          for (const product of input.products) {
            unwrap(await entities.create(orders, { product }));
            const inStock = and(eq(productTable.id, product), gt(productTable.stock, 0));
            const taken = await db
              .update(productTable)
              .set({ stock: sql`${productTable.stock} - 1` })
              .where(inStock);
            if (taken.changes === 0) throw new CodedError('CONFLICT', `${product} is sold out.`);
          }
        }),
    }),
  },
});

const database = new Database('shop.db');
database.exec(`CREATE TABLE IF NOT EXISTS products (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, stock INTEGER NOT NULL);
  INSERT OR IGNORE INTO products VALUES ('tea', 'Tea', 5), ('cup', 'Cup', 1)`);

const entities = [products, orders] as const;
const server = await createServer({
  database: (needs) => createSqliteStores({ database, ...needs }),
  auth: { production: false, baseUrl: 'http://localhost:3000', session: { strategy: 'jwt' } },
  entities,
  services: [shop],
});
await server.initialize();
await listen(server, { port: 3000 });
