import { createServer, type ServerOptions } from '@x/server';
import { listen } from '@x/server/node';
import type { Clock, EntityTable, Stores } from '@x/store';
import { createPostgresStores } from '@x/store-postgres';
import { createSqliteStores } from '@x/store-sqlite';
import { pino } from 'pino';

/** The parts of a server of ours beside accounts. */
export interface OurApp extends Pick<ServerOptions, 'access' | 'entities'> {
  readonly tables?: readonly EntityTable[];
}

/** Serves accounts and all other parts of the app by the environment that the demo is started with. */
export async function serveOurs({ tables = [], ...app }: OurApp): Promise<void> {
  const { PORT, BASE_URL = '', JWT_ALGORITHM, JWT_PRIVATE_KEY = '', JWT_PUBLIC_KEY = '' } = process.env;
  const { ENCRYPTION_KEY = '', SIGNIN_RATE_LIMIT = '' } = process.env;
  const logger = pino();
  const server = await createServer({
    ...app,
    database: openStores({ now: () => new Date() }, tables),
    logger,
    auth: {
      production: true,
      baseUrl: BASE_URL,
      issuer: 'tracker',
      audience: 'tracker',
      trustProxy: 1,
      session: { strategy: 'jwt', algorithm: JWT_ALGORITHM === 'RS256' ? 'RS256' : 'ES256', ttl: '1h' },
      emailPassword: { rateLimit: { maxAttempts: Number.parseInt(SIGNIN_RATE_LIMIT, 10), window: '1m' } },
      privateKey: JWT_PRIVATE_KEY,
      publicKey: JWT_PUBLIC_KEY,
      secrets: [ENCRYPTION_KEY],
      oauthEncryptionKey: [ENCRYPTION_KEY],
      mfa: { enabled: true, issuer: 'Tracker' },
    },
  });
  await server.initialize();
  await listen(server, { port: Number(PORT) });
  process.once('SIGTERM', () => void server.close());
}

function openStores(clock: Clock, entities: readonly EntityTable[]): Stores {
  const { DATABASE_URL = '' } = process.env;
  const path = DATABASE_URL.startsWith('file:') ? DATABASE_URL.slice('file:'.length) : null;
  return path === null
    ? createPostgresStores({ url: DATABASE_URL, clock, entities })
    : createSqliteStores({ path, clock, entities });
}
