import { rules } from '@x/access';
import { action, defineService } from '@x/entity';
import { CodedError, unwrap } from '@x/errors';
import { createServer } from '@x/server';
import { listen } from '@x/server/node';
import type { TransactionStores } from '@x/store';
import { createPostgresStores } from '@x/store-postgres';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { z } from 'zod';
import { orders, products } from './entities.ts';
import { createTables, type Tables } from './tables.ts';

/** Returns a Kysely on the connection of a transaction of the stores, which that neither ends nor gives back. */
function kyselyIn({ raw }: TransactionStores): Kysely<Tables> {
  const client = raw as pg.PoolClient;
  const connection = { query: client.query.bind(client), release: () => undefined };
  const pool = { connect: async () => connection, end: async () => undefined, options: {} };
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

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
          const db = kyselyIn(stores);
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

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'] });
await createTables(new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }));

const entities = [products, orders] as const;
const server = await createServer({
  database: (needs) => createPostgresStores({ pool, ...needs }),
  auth: { production: false, baseUrl: 'http://localhost:3000', session: { strategy: 'jwt' } },
  entities,
  services: [shop],
});
await server.initialize();
await listen(server, { port: 3000 });
