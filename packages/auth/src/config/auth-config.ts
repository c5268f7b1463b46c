import type { TrustProxy } from '@x/http/address';
import type { EmailConfig } from '../email/email.ts';
import { findKeyProblems } from '../keys/key-ring.ts';
import { findSecretProblems, losesSessions } from '../keys/session-secrets.ts';
import type { MfaConfig } from '../mfa/mfa.ts';
import type { OAuthConfig } from '../oauth/oauth.ts';
import type { ResetConfig } from '../password/password.ts';
import type { PolicySettings } from '../password/policy.ts';
import type { LimitConfig } from '../rate-limits/limits.ts';
import { isHostPrefix } from '../session/cookies.ts';
import type { SessionConfig } from '../session/session.ts';
import type { TenantConfig } from '../tenant/tenant.ts';
import { reservedUserFields } from '../user/user.ts';

/** The parsed settings: every default filled in, durations in milliseconds. */
export interface AuthConfig
  extends LimitConfig, SessionConfig, EmailConfig, ResetConfig, MfaConfig, OAuthConfig, TenantConfig {
  readonly emailVerification: EmailConfig['emailVerification'];
  readonly production: boolean;
  readonly trustedOrigins: readonly string[];
  readonly trustProxy: TrustProxy;
  readonly emailPassword: LimitConfig['emailPassword'] & {
    readonly password: PolicySettings;
  };
  readonly privateKey?: string | undefined;
  readonly publicKey?: string | undefined;
  readonly verificationKeys: readonly string[];
  readonly secrets?: readonly string[] | undefined;
  readonly issuer: string;
  readonly audience: string;
  readonly developmentKeysPath: string;
}

/** The settings with their defaults, before those that are derived from others are filled in. */
export type ParsedSettings = Omit<AuthConfig, 'issuer' | 'audience' | 'session'> & {
  readonly session: Omit<AuthConfig['session'], 'cookie'> & {
    readonly cookie: Omit<AuthConfig['session']['cookie'], 'refreshPath'> & {
      readonly refreshPath?: string | undefined;
    };
  };
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
};

/** Finds conflicts between settings that are valid by themselves. Settings that are not have been left out. */
export function findConflicts(settings: Partial<ParsedSettings>): readonly string[] {
  return rules.flatMap(({ needs, find }) => (hasAll(settings, needs) ? find(settings) : []));
}

interface Rule {
  readonly needs: readonly (keyof ParsedSettings)[];
  readonly find: (settings: ParsedSettings) => readonly string[];
}

const rules: readonly Rule[] = [
  {
    needs: ['production', 'baseUrl'],
    find: ({ production, baseUrl }) =>
      production && baseUrl === undefined ? ['baseUrl: is required in production'] : [],
  },
  {
    needs: ['production', 'baseUrl'],
    find: ({ production, baseUrl }) =>
      production && baseUrl?.startsWith('http:') && !isOnLoopback(baseUrl)
        ? ['baseUrl: must be https in production, unless on localhost']
        : [],
  },
  {
    needs: ['production', 'secrets'],
    find: ({ production, secrets = [] }) => (production && secrets.some(isShort) ? [`secrets: ${tooShort}`] : []),
  },
  {
    needs: ['production', 'oauthEncryptionKey'],
    find: ({ production, oauthEncryptionKey }) =>
      production && oauthEncryptionKey.some(isShort) ? [`oauthEncryptionKey: ${tooShort}`] : [],
  },
  {
    needs: ['production', 'privateKey', 'publicKey'],
    find: ({ production, privateKey, publicKey }) => (production ? missingKeys({ privateKey, publicKey }) : []),
  },
  {
    needs: ['production', 'privateKey', 'publicKey'],
    find: ({ production, privateKey, publicKey }) =>
      !production && (privateKey === undefined) !== (publicKey === undefined)
        ? ['privateKey, publicKey: give both, or none to have them generated']
        : [],
  },
  {
    needs: ['session', 'privateKey', 'publicKey', 'verificationKeys'],
    find: ({ session: { algorithm }, privateKey, publicKey, verificationKeys }) =>
      findKeyProblems({ algorithm, privateKey, publicKey, verificationKeys }),
  },
  {
    needs: ['secrets'],
    find: ({ secrets }) => findSecretProblems(secrets),
  },
  {
    needs: ['production', 'session'],
    find: ({ production, session }) =>
      production && !session.cookie.secure ? ['session.cookie.secure: cannot be false in production'] : [],
  },
  {
    needs: ['session', 'basePath'],
    find: ({ session, basePath }) =>
      isAtOrAbove(session.cookie.refreshPath ?? basePath, basePath)
        ? []
        : [`session.cookie.refreshPath: must be ${basePath} or a path above it, or refreshes would not work`],
  },
  {
    needs: ['session'],
    find: ({ session: { cookie } }) =>
      cookie.sameSite === 'none' && !cookie.secure ? ["session.cookie.sameSite: 'none' needs secure cookies"] : [],
  },
  {
    needs: ['session'],
    find: ({ session: { cookie } }) =>
      cookie.prefix.startsWith('__') && !cookie.secure
        ? ['session.cookie.prefix: browsers accept __Host- and __Secure- only of secure cookies']
        : [],
  },
  {
    needs: ['session'],
    find: ({ session: { cookie } }) =>
      isHostPrefix(cookie.prefix) && (cookie.refreshPath ?? '/') !== '/'
        ? ['session.cookie.refreshPath: is / where session.cookie.prefix begins with __Host-']
        : [],
  },
  {
    needs: ['session'],
    find: ({ session }) =>
      session.ttl > session.refreshTtl ? ['session.ttl: cannot be longer than session.refreshTtl'] : [],
  },
  {
    needs: ['mfa', 'oauthEncryptionKey'],
    find: ({ mfa, oauthEncryptionKey }) =>
      mfa.enabled && oauthEncryptionKey.length === 0 ? ['oauthEncryptionKey: is required where mfa is enabled'] : [],
  },
  {
    needs: ['providers', 'oauthEncryptionKey'],
    find: ({ providers, oauthEncryptionKey }) =>
      providers.length > 0 && oauthEncryptionKey.length === 0 ? ['oauthEncryptionKey: is required with providers'] : [],
  },
  {
    needs: ['providers', 'baseUrl', 'production'],
    find: ({ providers, baseUrl, production }) =>
      // In production, it is already reported as missing.
      baseUrl === undefined && !production && providers.some(({ redirectUrl }) => redirectUrl === undefined)
        ? ['baseUrl: is required with providers that have no redirectUrl']
        : [],
  },
  {
    needs: ['limits', 'emailPassword'],
    find: ({ limits, emailPassword: { rateLimit } }) =>
      rateLimit.window === undefined && rateLimit.maxAttempts === undefined
        ? []
        : (['signup', 'signin'] as const)
            .filter((name) => limits[name] !== undefined)
            .map((name) => `limits.${name}: is set by emailPassword.rateLimit, too; remove one of them`),
  },
  {
    needs: ['userFields'],
    find: ({ userFields }) =>
      Object.keys(userFields)
        .filter((name) => reservedUserFields.has(name))
        .map((name) => `userFields.${name}: the name is reserved`),
  },
];

/** An optional setting that was left out is present as undefined; one that could not be parsed is absent. */
function hasAll(settings: Partial<ParsedSettings>, names: Rule['needs']): settings is ParsedSettings {
  return names.every((name) => name in settings);
}

/** Says whether a secret is too short even for random bytes. */
function isShort(secret: string): boolean {
  return Buffer.byteLength(secret) < 16;
}

const tooShort = 'a secret has at least 16 bytes in production; generate one, such as by openssl rand -base64 32';

/** Says whether a URL is of this machine, where browsers keep secure cookies without TLS. */
function isOnLoopback(url: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}

/** @see RFC 6265 section 5.1.4 */
function isAtOrAbove(path: string, other: string): boolean {
  return path === '/' || path === other || other.startsWith(`${path}/`);
}

function missingKeys(keys: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(keys)
    .filter(([, pem]) => pem === undefined)
    .map(([name]) => `${name}: a PEM is required in production`);
}

/** Why sessions may end when the signing key is replaced, and the remedy. */
const withoutSecrets =
  'verificationKeys without secrets: a new signing key ends all sessions, for it is their secret, too; give the private keys of all as `secrets`';
const withSecrets =
  'verificationKeys: sessions from before `secrets` was set, if there are any, end with their signing key; add its private key to `secrets` to keep them';

/** Finds the settings that are accepted but deserve a warning, and describes the consequences of each. */
export function findWeaknesses(config: AuthConfig): readonly string[] {
  const { secrets = [], oauthEncryptionKey, verificationKeys, emailPassword } = config;
  const isGuessable = [...secrets, ...oauthEncryptionKey].some((secret) => secret.length < 32);
  return [
    ...(losesSessions(secrets, verificationKeys) ? [config.secrets === undefined ? withoutSecrets : withSecrets] : []),
    ...(isGuessable ? ['a secret has fewer than 32 characters: it can be guessed unless it is random'] : []),
    ...(emailPassword.password.minLength < 8
      ? ['passwords of fewer than 8 characters are accepted: NIST SP 800-63B asks for 8 at least']
      : []),
  ];
}
