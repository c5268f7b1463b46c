import { serveStatic } from '@hono/node-server/serve-static';
import { createServer } from '@x/server';
import { listen } from '@x/server/node';
import { createSqliteStores } from '@x/store-sqlite';
import { entities, userFields } from './entities.ts';

const server = await createServer({
  database: (needs) => createSqliteStores({ path: 'app.db', ...needs }),
  auth: { production: false, baseUrl: 'http://localhost:3000', session: { strategy: 'jwt' }, userFields },
  entities,
});
await server.initialize();

// The page, as `npm run build` made it of index.html and src/. By itself, the server lets its responses load nothing.
const policy = "default-src 'self'; img-src data:; frame-ancestors 'none'";
server.app.use(serveStatic({ root: 'dist', onFound: (_, c) => c.header('Content-Security-Policy', policy) }));

await listen(server, { port: 3000 });
