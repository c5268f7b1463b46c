import { toEntityTables } from '@x/entity';
import { createServer } from '@x/server';
import { listen } from '@x/server/node';
import { createSqliteStores } from '@x/store-sqlite';
import { definition } from './access.ts';
import { entities } from './entities.ts';

const server = await createServer({
  database: createSqliteStores({ path: 'app.db', entities: toEntityTables(entities.map(({ model }) => model)) }),
  auth: { production: false, baseUrl: 'http://localhost:3000', session: { strategy: 'jwt' } },
  access: {
    definition,
    // Plans and limits are those of the workspace that something is in.
    async orgResolver(resource, { ancestors }) {
      if (!resource) return null;
      return [resource, ...(await ancestors())].find(({ type }) => type === 'workspace');
    },
  },
  entities,
});
await server.initialize();
await listen(server, { port: 3000 });
