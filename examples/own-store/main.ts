import { createServer } from '@x/server';
import { listen } from '@x/server/node';
import { composeStores, systemClock } from '@x/store';
import { createSqliteStores } from '@x/store-sqlite';
import { createRateLimits } from './rate-limits.ts';

const server = await createServer({
  database: composeStores(createSqliteStores({ path: 'app.db' }), { rateLimits: createRateLimits(systemClock) }),
  auth: { production: false, baseUrl: 'http://localhost:3000', session: { strategy: 'jwt' } },
});
await server.initialize();
await listen(server, { port: 3000 });
