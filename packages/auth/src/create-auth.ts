import {
  assertNodeVersion,
  type Awaitable,
  ConfigurationError,
  type Logger,
  type LoggerOption,
  toLogger,
} from '@x/errors';
import type { EventRecord, JsonObject, Stores } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import type { FairQueueLimits } from '@x/store/engine';
import { availableParallelism } from 'node:os';
import { createSignUpParser } from './account/sign-up-input.ts';
import { type AuthAdmin, createAuthAdmin } from './admin/admin.ts';
import { type AuthApi, createAuthApi } from './auth-api.ts';
import { type AuthConfig, findWeaknesses } from './config/auth-config.ts';
import type { AuthSettings } from './config/auth-settings.ts';
import { parseAuthSettings } from './config/parse-auth-settings.ts';
import { type AuthDescription, type AuthDependencies, describeAuth } from './describe-auth.ts';
import type { EmailDependencies } from './email/email.ts';
import { createNotifier, type SendNotice } from './email/notices.ts';
import { createBackgroundTasks } from './events/background.ts';
import { loadDevelopmentKeys } from './keys/development-keys.ts';
import { type KeyRing, loadKeyRing } from './keys/key-ring.ts';
import { toSessionSecrets } from './keys/session-secrets.ts';
import { createSealer, deriveKey, type Sealer } from './keys/sealer.ts';
import { enableMfa, type MfaDependencies } from './mfa/mfa.ts';
import { createProviders } from './oauth/oauth.ts';
import { createArgon2Hasher } from './password/argon2-hasher.ts';
import { boundHasher, createPasswordVerifier, type PasswordHasher } from './password/hasher.ts';
import type { PasswordDependencies } from './password/password.ts';
import { toPasswordPolicy } from './password/policy.ts';
import { prune, type Pruned, type PruneOptions } from './prune.ts';
import { createAuthenticator, type Credential } from './principal/authenticate.ts';
import { createSessionCredentials } from './principal/session-credentials.ts';
import { toCheckedStore } from './rate-limits/limit-store.ts';
import { toLimits } from './rate-limits/limits.ts';
import type { LimitDependencies } from './rate-limits/rate-limits.ts';
import { createRefusedRefreshReport } from './rate-limits/refresh-limit.ts';
import { cookieName } from './session/cookies.ts';
import { createRefreshTokens } from './session/refresh-token.ts';
import { createRevokedSessions } from './session/revoked-sessions.ts';
import type { SessionDependencies } from './session/session.ts';
import type { AccessSetPort, AccessTokenClaims } from './token/claims.ts';
import { createAccessTokenIssuer } from './token/issue.ts';
import { createAccessTokenVerifier } from './token/verify.ts';
import type { NoFields, UserFields } from './user/fields.ts';
import { hookNames, type HookOptions, toHooks } from './user/hooks.ts';
import { createUserIds, type User } from './user/user.ts';

/** The options of `createAuth`: the settings, and the parts that an app may replace. */
export interface AuthOptions<Fields extends UserFields = NoFields> extends AuthSettings<Fields>, HookOptions<Fields> {
  /** Where users and sessions are stored. Default: in memory. */
  readonly stores?: Stores;
  /** Default: argon2id with 19 MiB, two passes, one lane. */
  readonly passwordHasher?: PasswordHasher;
  /** Returns the unique id of a new user: 1 to 64 letters, digits, `_` and `-`. Default: a random UUID. */
  readonly generateUserId?: () => string;
  /** Returns custom claims for a user's JWTs; those with a registered name are dropped. */
  readonly claims?: (user: User<Fields>) => Awaitable<JsonObject>;
  /** Computes the access set of a user, for JWTs and `GET /access-set`. Default: there is no such claim or route. */
  readonly accessSet?: AccessSetPort;
  /** Further ways to say who a request is from, such as API keys, after the JWTs of sessions. Default: none. */
  readonly credentials?: readonly Credential[];
  /** Called with every logged event, after its commit. */
  readonly onEvent?: (event: EventRecord) => Awaitable<void>;
  /**
   * Mails a notice to the owner of an account after each change of its password, address, second factor or linked
   * identities, at the address from before the change. Called like `onSend` of `passwordReset`. Default: no notice is
   * sent.
   */
  readonly onSecurityNotice?: SendNotice<Fields>;
  /**
   * For example a pino logger. Default: the console, which gets lines of every level but `debug`, and stacks except in
   * production. `false` logs nothing.
   */
  readonly logger?: LoggerOption;
}

/** The settings of an app that concern all its requests, and its logger. */
interface AuthHttp extends Pick<AuthConfig, 'baseUrl' | 'basePath' | 'production' | 'trustedOrigins' | 'trustProxy'> {
  readonly logger: Logger;
}

/** The auth of one app, including the description of the routes that `@x/auth/hono` builds. */
export interface Auth<Fields extends UserFields = NoFields> extends AuthDescription {
  readonly api: AuthApi<Fields>;
  readonly admin: AuthAdmin<Fields>;
  /** The settings that every module that serves requests has to know. */
  readonly http: AuthHttp;
  /** The argument of each route's `run`; `@x/auth/hono` passes it on. */
  readonly dependencies: AuthDependencies;
  /** Encrypts cursors, which clients return, with a key that every process of the app has. */
  readonly cursors: Pick<Sealer, 'seal' | 'open'>;
  /**
   * Deletes expired rows in small batches: sessions a day after they ended, expired rate-limit windows, the events of
   * failed sign-ins after 30 days, others after a year. Goes on with reclaims and deletions of accounts that were left
   * unfinished. Safe to run in several processes at once. `createServer` runs it every ten minutes.
   */
  prune(options?: PruneOptions): Promise<Pruned>;
  /** Waits for work that continues after a response, such as mails and `onEvent`. Call it before closing the stores. */
  drain(): Promise<void>;
}

/**
 * Creates the auth of an app: parses the settings, and loads or generates the keys.
 *
 * @throws ConfigurationError with every problem of the settings, unknown ones included, or of the keys
 * @example
 * ```ts
 * const auth = await createAuth({ production: false, session: { strategy: 'jwt' } });
 * const signedUp = await auth.api.signUp({ email: 'ada@example.com', password: 'correct horse battery' });
 * if (signedUp.ok) console.log(signedUp.value?.user.id);
 * ```
 */
export function createAuth<const Fields extends UserFields = NoFields>(
  options: AuthOptions<Fields>,
): Promise<Auth<Fields>>;
export async function createAuth(options: AuthOptions): Promise<Auth> {
  assertNodeVersion();
  const {
    stores = createMemoryStores(),
    passwordHasher,
    generateUserId = () => crypto.randomUUID(),
    claims = () => ({}),
    accessSet,
    credentials = [],
    onEvent = () => {},
    onSecurityNotice = () => {},
  } = options;
  const config = parseAuthSettings(options, { ...portNames, ...hookNames });
  assertDurableStores(config, options);
  const logger = toLogger(options.logger, config.production);
  for (const weakness of findWeaknesses(config)) logger.warn({}, weakness);
  const { baseUrl, basePath, production, trustedOrigins, trustProxy } = config;
  const keyRing = await loadKeys(config);
  const background = createBackgroundTasks();
  const notify = createNotifier(config, onSecurityNotice, { background, logger });
  const events = { onEvent, notify, logger, background };
  const limits = createLimits(config, stores, events);
  const hooks = toHooks(options, events);
  const sessions: SessionDependencies = {
    config,
    stores,
    events,
    limits,
    ...createTokens({ config, keyRing, stores, credentials }),
    claims,
    accessSet: accessSet ?? null,
    refreshing: new Map(),
    hooks,
  };
  const base = { config, stores, hooks, events, limits, sessions };
  const newUserId = createUserIds(generateUserId);
  const emails: EmailDependencies = base;
  const hasher = boundHasher(passwordHasher ?? createArgon2Hasher(), hashBounds);
  const verifier = createPasswordVerifier(hasher);
  const passwords: PasswordDependencies = {
    ...base,
    hasher,
    verifier,
    policy: toPasswordPolicy(config.emailPassword.password),
    emails,
  };
  const mfa: MfaDependencies = { ...base, enabled: enableMfa(config), passwords };
  const dependencies: AuthDependencies = {
    sessions,
    emails,
    passwords,
    mfa,
    accounts: { ...base, newUserId, parseSignUp: createSignUpParser(config), emails, passwords, mfa },
    oauth: { ...base, newUserId, providers: createProviders(config, stores.clock), emails, mfa },
    tenants: base,
  };
  return {
    ...describeAuth({ ...config, accessSet }),
    api: createAuthApi(dependencies),
    admin: createAuthAdmin({ ...base, newUserId, passwords, mfa }),
    http: { baseUrl, basePath, production, trustedOrigins, trustProxy, logger },
    dependencies,
    cursors: createSealer(toSessionSecrets(config.secrets, keyRing).map((secret) => deriveKey(secret, 'cursor'))),
    prune: (pruneOptions) => prune(dependencies.accounts, pruneOptions),
    drain: () => background.drain(),
  };
}

/** The names of the options that are neither settings nor hooks. */
const portNames: Readonly<Record<Exclude<keyof AuthOptions, keyof AuthSettings | keyof HookOptions>, true>> = {
  stores: true,
  passwordHasher: true,
  generateUserId: true,
  claims: true,
  accessSet: true,
  credentials: true,
  onEvent: true,
  onSecurityNotice: true,
  logger: true,
};

/** Creates the dependencies of the limits that count attempts. */
function createLimits(config: AuthConfig, stores: Stores, events: LimitDependencies['events']): LimitDependencies {
  const table = toLimits(config);
  const { store } = config.limits;
  const reportRefusedRefresh = createRefusedRefreshReport(table, { logger: events.logger, clock: stores.clock });
  return { table, stores, store: store ? toCheckedStore(store) : null, events, reportRefusedRefresh };
}

/** The dependencies of the tokens of sessions, and of the credentials beside them. */
interface TokenOptions {
  readonly config: AuthConfig;
  readonly keyRing: KeyRing;
  readonly stores: Stores;
  readonly credentials: readonly Credential[];
}

/**
 * Creates the functions that sign, verify and revoke the tokens of sessions, and that authenticate requests by them.
 */
function createTokens({
  config,
  keyRing,
  stores,
  credentials,
}: TokenOptions): Pick<SessionDependencies, 'authenticator' | 'accessTokens' | 'refreshTokens' | 'revokedSessions'> {
  const { clock } = stores;
  const options = { keyRing, issuer: config.issuer, audience: config.audience, clock };
  const revokedSessions = createRevokedSessions({ clock, ttlMs: config.session.ttl });
  stores.onRevoked((revocation) => revokedSessions.add(revocation));
  const verifier = createAccessTokenVerifier(options);
  const unlessRevoked = (claims: AccessTokenClaims | null): AccessTokenClaims | null =>
    claims && !revokedSessions.has(claims.sid, claims.ver) ? claims : null;
  const ofSessions = createSessionCredentials(cookieName(config, 'sid'), (token) => {
    const claims = verifier.verify(token);
    return claims instanceof Promise ? claims.then(unlessRevoked) : unlessRevoked(claims);
  });
  return {
    authenticator: createAuthenticator(ofSessions, credentials),
    accessTokens: {
      ...createAccessTokenIssuer({ ...options, ttlSeconds: config.session.ttl / 1000 }),
      jwks: keyRing.jwks,
    },
    refreshTokens: createRefreshTokens(
      toSessionSecrets(config.secrets, keyRing).map((secret) => deriveKey(secret, 'refresh')),
    ),
    revokedSessions,
  };
}

/** With stores in memory, each user who signs in by a provider would be a new user after each restart. */
function assertDurableStores({ production, providers }: AuthConfig, { stores }: AuthOptions): void {
  if (production && providers.length > 0 && stores === undefined) {
    throw new ConfigurationError(['stores: are required with providers in production']);
  }
}

/**
 * At most as many hashes run at once as there are cores, and one less than libuv has threads by default: file access
 * and DNS lookups need threads, too. Two cores hash a full queue in about four seconds; requests beyond it are asked to
 * retry later.
 */
const hashBounds: FairQueueLimits = { concurrency: Math.min(availableParallelism(), 3), maxWaiting: 512 };

async function loadKeys(config: AuthConfig): Promise<KeyRing> {
  const { algorithm } = config.session;
  const { privateKey, publicKey, verificationKeys, developmentKeysPath } = config;
  const pems =
    privateKey === undefined || publicKey === undefined
      ? await loadDevelopmentKeys({ directory: developmentKeysPath, algorithm })
      : { privateKey, publicKey };
  return loadKeyRing({ algorithm, ...pems, verificationKeys });
}
