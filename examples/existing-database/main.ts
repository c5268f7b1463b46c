import { createServer } from '@x/server';
import { listen } from '@x/server/node';
import { createSqliteStores } from '@x/store-sqlite';
import { entities } from './entities.ts';

const server = await createServer({
  database: (needs) => createSqliteStores({ path: 'shop.db', ...needs }),
  auth: { production: false, baseUrl: 'http://localhost:3000', session: { strategy: 'jwt' } },
  entities,
});
await server.initialize(); // adds tables of accounts beside yours, and compares yours with the models
await listen(server, { port: 3000 });
