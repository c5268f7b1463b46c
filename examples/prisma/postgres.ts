import { rules } from '@x/access';
import { action, defineService } from '@x/entity';
import { CodedError, unwrap } from '@x/errors';
import { createServer } from '@x/server';
import { listen } from '@x/server/node';
import { createPostgresStores } from '@x/store-postgres';
import pg from 'pg';
import { z } from 'zod';
import { orders, products } from './entities.ts';
import { withPrisma } from './with-prisma.ts';

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
        transaction(({ stores, entities }) =>
          withPrisma(stores, async (prisma) => {
            for (const product of input.products) {
              unwrap(await entities.create(orders, { product }));
              const { count } = await prisma.product.updateMany({
                where: { id: product, stock: { gt: 0 } },
                data: { stock: { decrement: 1 } },
              });
              if (count === 0) throw new CodedError('CONFLICT', `${product} is sold out.`);
            }
          }),
        ),
    }),
  },
});

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'] });

const entities = [products, orders] as const;
const server = await createServer({
  database: (needs) => createPostgresStores({ pool, ...needs }),
  auth: { production: false, baseUrl: 'http://localhost:3000', session: { strategy: 'jwt' } },
  entities,
  services: [shop],
});
await server.initialize();
await listen(server, { port: 3000 });
