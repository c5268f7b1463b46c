import { createServer, type ServerOptions } from '@x/server';
import { createSqliteStores } from '@x/store-sqlite';
import { notes } from './entities';

const database: ServerOptions['database'] = (needs) => createSqliteStores({ path: 'app.db', ...needs });

export const server = await createServer({
  // A build loads this module, too: without a database, the stores are in memory.
  ...(process.env.NEXT_PHASE !== 'phase-production-build' && { database }),
  auth: {
    production: false,
    baseUrl: 'http://localhost:3000',
    session: { strategy: 'jwt', cookie: { refreshPath: '/' }, refreshGrace: 'until-used' },
  },
  entities: [notes],
});
await server.initialize();
