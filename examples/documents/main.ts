import { createServer } from '@x/server';
import { listen } from '@x/server/node';
import { createSqliteStores } from '@x/store-sqlite';
import { entities, organizations } from './entities.ts';

const server = await createServer({
  database: (needs) => createSqliteStores({ path: 'app.db', ...needs }),
  auth: { production: false, baseUrl: 'http://localhost:3000', session: { strategy: 'jwt' } },
  organizations,
  entities,
});
await server.initialize();
await listen(server, { port: 3000 });
