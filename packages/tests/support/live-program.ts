import { rules } from '@x/access';
import { createScryptHasher } from '@x/auth';
import { defineEntity, defineModel, field, toEntityTables } from '@x/entity';
import { createServer } from '@x/server';
import { listen } from '@x/server/node';
import { systemClock } from '@x/store';
import { createPostgresStores } from '@x/store-postgres';
import { createSqliteStores } from '@x/store-sqlite';
import { patient } from '@x/test-support/patient';

/** Serves notes live on a database until it is killed; sends its port once it listens. */
const [, , path = '', developmentKeysPath = ''] = process.argv;

const own = rules.all(rules.authenticated(), rules.where({ ownerId: rules.user.id }));

const notes = defineEntity({
  model: defineModel('notes', {
    fields: { ownerId: field.text({ serverValue: ({ userId }) => userId }), title: field.text() },
  }),
  access: { list: own, get: own, create: own, update: own, delete: own },
});

const options = { entities: toEntityTables([notes.model]), changes: true };
const database = path.startsWith('postgres:')
  ? createPostgresStores({ patience: patient, url: path, clock: systemClock, ...options })
  : createSqliteStores({ patience: patient, path, ...options });
const server = await createServer({
  database,
  entities: [notes],
  live: true,
  logger: false,
  auth: {
    production: false,
    baseUrl: 'http://localhost:3000',
    developmentKeysPath,
    session: { strategy: 'jwt', algorithm: 'ES256', ttl: '1h' },
    passwordHasher: createScryptHasher({ ln: 1, r: 1, p: 1 }),
  },
});
await server.initialize();
const { port } = await listen(server, { port: 0 });
process.send?.(port);
