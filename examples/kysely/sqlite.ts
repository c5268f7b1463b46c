import { rules } from '@x/access';
import { action, defineService } from '@x/entity';
import { CodedError, unwrap } from '@x/errors';
import { createServer } from '@x/server';
import { listen } from '@x/server/node';
import { createSqliteStores } from '@x/store-sqlite';
import Database from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { z } from 'zod';
import { orders, products } from './entities.ts';
import { createTables, type Tables } from './tables.ts';

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
          const dialect = new SqliteDialect({ database: stores.raw as Database.Database }); // in the transaction
          const db = new Kysely<Tables>({ dialect });
          for (const product of input.products) {
            unwrap(await entities.create(orders, { product }));
            const { numUpdatedRows } = await db
              .updateTable('products')
              .set(({ eb }) => ({ stock: eb('stock', '-', 1) }))
              .where('id', '=', product)
              .where('stock', '>', 0)
              .executeTakeFirst();
            if (numUpdatedRows === 0n) throw new CodedError('CONFLICT', `${product} is sold out.`);
          }
        }),
    }),
  },
});

const database = new Database('shop.db');
await createTables(new Kysely<Tables>({ dialect: new SqliteDialect({ database }) }));

const entities = [products, orders] as const;
const server = await createServer({
  database: (needs) => createSqliteStores({ database, ...needs }),
  auth: { production: false, baseUrl: 'http://localhost:3000', session: { strategy: 'jwt' } },
  entities,
  services: [shop],
});
await server.initialize();
await listen(server, { port: 3000 });
