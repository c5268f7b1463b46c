import { toEntityTables } from '@x/entity';
import { createServer } from '@x/server';
import { listen } from '@x/server/node';
import { createSqliteStores } from '@x/store-sqlite';
import { entities } from './entities.ts';

const server = await createServer({
  database: createSqliteStores({ path: 'shop.db', entities: toEntityTables(entities.map(({ model }) => model)) }),
  auth: { production: false, baseUrl: 'http://localhost:3000', session: { strategy: 'jwt' } },
  entities,
});
await server.initialize(); // adds tables of accounts beside yours, and compares yours with the models
await listen(server, { port: 3000 });
