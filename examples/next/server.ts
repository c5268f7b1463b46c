import { createServer } from '@x/server';
import { createSqliteStores } from '@x/store-sqlite';
import { notes } from './entities';

export const server = await createServer({
  database: (needs) => createSqliteStores({ path: 'app.db', ...needs }),
  auth: {
    production: false,
    baseUrl: 'http://localhost:3000',
    session: { strategy: 'jwt', cookie: { refreshPath: '/' }, refreshGrace: 'until-used' },
  },
  entities: [notes],
});
await server.initialize();
