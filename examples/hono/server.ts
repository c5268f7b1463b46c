import { createServer } from '@x/server';
import { createSqliteStores } from '@x/store-sqlite';

export const server = await createServer({
  database: createSqliteStores({ path: 'app.db' }),
  auth: {
    production: false,
    baseUrl: 'http://localhost:3000',
    session: { strategy: 'jwt', cookie: { refreshPath: '/' }, refreshGrace: 'until-used' },
  },
});
await server.initialize();
