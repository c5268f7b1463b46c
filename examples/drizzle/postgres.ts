import { rules } from '@x/access';
import { action, defineService } from '@x/entity';
import { CodedError, unwrap } from '@x/errors';
import { createServer } from '@x/server';
import { listen } from '@x/server/node';
import { createPostgresStores } from '@x/store-postgres';
import { and, eq, gt, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';
import { z } from 'zod';
import { orders, products } from './entities.ts';
import { productTable } from './schema.ts';

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
          const db = drizzle(stores.raw as pg.PoolClient); // in the transaction
          for (const product of input.products) {
            unwrap(await entities.create(orders, { product }));
            const inStock = and(eq(productTable.id, product), gt(productTable.stock, 0));
            const taken = await db
              .update(productTable)
              .set({ stock: sql`${productTable.stock} - 1` })
              .where(inStock);
            if (taken.rowCount === 0) throw new CodedError('CONFLICT', `${product} is sold out.`);
          }
        }),
    }),
  },
});

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'] });
await migrate(drizzle(pool), { migrationsFolder: 'migrations' }); // before the server compares the table with its model

const entities = [products, orders] as const;
const server = await createServer({
  database: (needs) => createPostgresStores({ pool, ...needs }),
  auth: { production: false, baseUrl: 'http://localhost:3000', session: { strategy: 'jwt' } },
  entities,
  services: [shop],
});
await server.initialize();
await listen(server, { port: 3000 });
