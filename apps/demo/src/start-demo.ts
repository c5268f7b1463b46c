import { loadDevelopmentSecret } from '@x/auth/development';
import { createServer, type Server, type ServerOptions } from '@x/server';
import { listen } from '@x/server/node';
import type { Logger } from 'pino';
import { addDevelopmentRoutes } from './development/routes.ts';
import { createSharedClock } from './development/shared-clock.ts';
import type { Env } from './env.ts';
import { nameVariables } from './name-variables.ts';
import { openDatabase } from './open-database.ts';

/** A demo that answers. */
export interface RunningDemo {
  /** Where people find it. */
  readonly url: string;
  /** Where it listens, whatever stands in front of it. */
  readonly port: number;
  /** Finishes what is under way, then lets go of port and database. */
  stop(): Promise<void>;
}

/** Starts the demo as its environment says. */
export async function startDemo(env: Env, log: Logger): Promise<RunningDemo> {
  const clock = createSharedClock();
  const database = openDatabase(env.databaseUrl, clock);
  const server = await createNamedServer({ database, logger: log, auth: await authOptions(env) });
  await server.initialize();
  if (!env.production) {
    await clock.follow(database);
    addDevelopmentRoutes(server.app, clock);
  }
  const listener = await listen(server, { port: env.port, hostname: env.host, logger: log });
  return {
    url: env.production ? env.baseUrl : `http://localhost:${listener.port}`,
    port: listener.port,
    stop: async () => {
      await listener.stop();
      clock.stop();
      await server.close();
    },
  };
}

async function createNamedServer(options: ServerOptions): Promise<Server> {
  try {
    return await createServer(options);
  } catch (error) {
    throw nameVariables(error);
  }
}

/** Where generated keys and secrets are kept outside production. */
const developmentKeysPath = '.data/keys';

async function authOptions(env: Env): Promise<ServerOptions['auth']> {
  const { production, baseUrl, privateKey, publicKey } = env;
  return {
    production,
    baseUrl,
    issuer: 'tracker',
    audience: 'tracker',
    session: {
      strategy: 'jwt',
      ttl: env.sessionTtl,
      refreshTtl: env.refreshTtl,
      algorithm: env.algorithm,
      cookie: { secure: env.cookieSecure },
    },
    ...(privateKey !== undefined && { privateKey }),
    ...(publicKey !== undefined && { publicKey }),
    secrets:
      env.encryptionKeys.length > 0
        ? env.encryptionKeys
        : [await loadDevelopmentSecret({ directory: developmentKeysPath, name: 'encryption-key' })],
    developmentKeysPath,
  };
}
