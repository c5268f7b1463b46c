import { CodedError } from '@x/errors';
import { createDatabaseClock, createServer, type Server, type ServerOptions } from '@x/server';
import { listen } from '@x/server/node';
import { MigrationError } from '@x/store';
import type { Logger } from 'pino';
import { accessService } from './access/access-service.ts';
import { updateAdmins } from './access/admin-role.ts';
import { definition } from './access/definition.ts';
import { toAuthOptions } from './auth-options.ts';
import { startIdentityProvider } from './development/identity-provider/start-identity-provider.ts';
import { addDevelopmentRoutes } from './development/routes.ts';
import { scaleRateLimits } from './development/scale-rate-limits.ts';
import { createSharedClock } from './development/shared-clock.ts';
import { type Env, nameVariables } from './env.ts';
import { createTrackerOrganizations } from './entities/organizations.ts';
import { createMailService } from './mail/mail-service.ts';
import { toInvitation, toLinkOrigin } from './mail/message.ts';
import { openDatabase } from './open-database.ts';
import { seedDatabase, seededLogins } from './seed.ts';
import { servePage } from './serve-page.ts';
import { createAllEntities, documentInfo, listTables } from './tracker.ts';

/** A running demo. */
export interface RunningDemo {
  /** Its public URL. */
  readonly url: string;
  /** The port it listens on, whatever stands in front of it. */
  readonly port: number;
  /** Finishes work in progress, then releases the port and the database. */
  stop(): Promise<void>;
}

/** Starts the demo as configured by its environment. */
export async function startDemo(env: Env, log: Logger): Promise<RunningDemo> {
  const databaseClock = createDatabaseClock();
  const sharedClock = env.production ? null : createSharedClock(databaseClock);
  const organizations = createTrackerOrganizations((sent) => mail.mailer.send(toInvitation(sent)));
  const opened = await openDatabase(env.databaseUrl, {
    clock: sharedClock ?? databaseClock,
    entities: listTables(organizations),
    ...(env.listenUrl !== undefined && { listenUrl: env.listenUrl }),
    pooled: env.pooled,
    ...(env.patienceMs !== undefined && { patience: { waitMs: env.patienceMs, connectMs: env.patienceMs / 2 } }),
    warn: (message) => log.warn(message),
  });
  const database = env.rateLimitFactor === 1 ? opened : scaleRateLimits(opened, env.rateLimitFactor);
  if (sendsNowhere(env)) log.warn('SMTP_URL: is not set, so nobody gets the mails that verification and reset need');
  let linkOrigin = env.baseUrl;
  const mail = await createMailService({ env, stores: database, baseUrl: () => linkOrigin });
  const identityProvider = env.oauthMock
    ? await startIdentityProvider({ clock: database.clock, appOrigin: new URL(env.baseUrl).origin })
    : null;
  const parts = { stores: database, mailer: mail.mailer, standIns: identityProvider?.settings ?? {} };
  const server = await createNamedServer({
    database,
    access: { definition },
    organizations,
    entities: createAllEntities(organizations),
    services: [accessService],
    live: true,
    logger: log,
    openapi: documentInfo,
    auth: await toAuthOptions(env, parts),
  });
  await initialize(server);
  await updateAdmins(database, env.adminEmail);
  if (env.seed) await seedDatabase(server, organizations);
  // In the message, because fields of this name are never logged; this one is not secret.
  if (env.seed) log.info(`sign in as ${seededLogins.emails.join(' or ')} with "${seededLogins.password}"`);
  if (sharedClock && mail.outbox) {
    await sharedClock.follow(database);
    addDevelopmentRoutes(server.app, { clock: sharedClock, outbox: mail.outbox });
  }
  await servePage(server.app, { env, log });
  const listener = await listen(server, { port: env.port, hostname: env.host });
  linkOrigin = toLinkOrigin(env.baseUrl, listener.port);
  return {
    url: env.production ? env.baseUrl : `http://localhost:${listener.port}`,
    port: listener.port,
    stop: async () => {
      await listener.stop();
      sharedClock?.stop();
      await identityProvider?.stop();
      await server.close();
      await mail.close();
    },
  };
}

function sendsNowhere({ production, smtpServer, emailVerification, passwordReset }: Env): boolean {
  return production && !smtpServer && (emailVerification || passwordReset);
}

/** @throws Error that says in the operator's words why the database can't be used */
async function initialize(server: Server): Promise<void> {
  try {
    await server.initialize();
  } catch (error) {
    if (error instanceof MigrationError) throw error;
    const cause = error instanceof CodedError ? error.cause : error;
    throw new Error(`DATABASE_URL: the database cannot be used: ${reasonOf(cause)}`, { cause: error });
  }
}

/** A name that has several addresses fails with one error for each, and no words of its own. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join(', ');
  return cause instanceof Error ? cause.message : 'it does not answer.';
}

async function createNamedServer(options: ServerOptions): Promise<Server> {
  try {
    return await createServer(options);
  } catch (error) {
    throw nameVariables(error);
  }
}
