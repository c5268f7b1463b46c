import type { SentInvitation } from '@x/organizations';
import { createServer, type Server, type ServerOptions } from '@x/server';
import { listen } from '@x/server/node';
import { createDatabaseClock } from '@x/store';
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
import { type DatabaseParts, openDatabase } from './open-database.ts';
import { prepareDatabase } from './prepare-database.ts';
import { seedDatabase, seededLogins } from './seed.ts';
import { servePage } from './serve-page.ts';
import { createAllEntities, documentInfo, listTables } from './tracker.ts';

/** A running demo. */
export interface RunningDemo {
  /** Its public URL. */
  readonly url: string;
  /** The port it listens on, which may differ from that of a proxy in front of it. */
  readonly port: number;
  /** Finishes work in progress, then releases the port and the database. */
  stop(): Promise<void>;
}

/** Starts the demo as configured by its environment. */
export async function startDemo(env: Env, log: Logger): Promise<RunningDemo> {
  const databaseClock = createDatabaseClock();
  const sharedClock = env.production ? null : createSharedClock(databaseClock);
  const sendInvitation = (sent: SentInvitation): Promise<void> => mail.mailer.send(toInvitation(sent));
  const organizations = createTrackerOrganizations(sendInvitation, env.invitations);
  const opened = await openDatabase(env.databaseUrl, {
    clock: sharedClock ?? databaseClock,
    entities: listTables(organizations),
    ...(env.listenUrl !== undefined && { listenUrl: env.listenUrl }),
    pooled: env.pooled,
    ...(env.patienceMs !== undefined && { patience: toPatience(env.patienceMs) }),
    logger: log,
  });
  const database = env.rateLimitFactor === 1 ? opened : scaleRateLimits(opened, env.rateLimitFactor);
  if (sendsNowhere(env)) log.warn('SMTP_URL: is not set, so no user gets the mails that verification and reset need');
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
  const prepare = async (): Promise<void> => {
    await server.initialize();
    await updateAdmins(database, env.adminEmail);
    if (env.seed) await seedDatabase(server, organizations);
  };
  await prepareDatabase(prepare, { log, limitMs: env.patienceMs });
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

function toPatience(waitMs: number): NonNullable<DatabaseParts['patience']> {
  return { waitMs, connectMs: waitMs / 2, startMs: waitMs };
}

function sendsNowhere({ production, smtpServer, emailVerification, passwordReset }: Env): boolean {
  return production && !smtpServer && (emailVerification || passwordReset);
}

async function createNamedServer(options: ServerOptions): Promise<Server> {
  try {
    return await createServer(options);
  } catch (error) {
    throw nameVariables(error);
  }
}
