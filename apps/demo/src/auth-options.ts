import {
  type AuthHooks,
  type AuthOptions,
  type AuthSettings,
  discordProvider,
  githubProvider,
  googleProvider,
  type ProviderSettings,
  type ResetIdentity,
} from '@x/auth';
import { loadDevelopmentSecret } from '@x/auth/development';
import type { ServerOptions } from '@x/server';
import type { Stores, TransactionStores } from '@x/store';
import { and, eq, isIn, type Where } from '@x/store/where';
import { updateAdminOnProof } from './access/admin-role.ts';
import type { Env, ProviderName } from './env.ts';
import { isPlainAddress } from './mail/address.ts';
import type { Mailer } from './mail/message.ts';

/** The dependencies of auth in the demo. */
interface AuthParts {
  readonly stores: Stores;
  readonly mailer: Mailer;
  /** The settings of providers that a local program stands in for. */
  readonly standIns: ProvidersSettings;
}

type ProvidersSettings = Readonly<Partial<Record<ProviderName, ProviderSettings>>>;

/** Converts the environment to the settings of auth; secrets that are missing in development are generated. */
export async function toAuthOptions(env: Env, { stores, mailer, standIns }: AuthParts): Promise<ServerOptions['auth']> {
  const { production, baseUrl, privateKey, publicKey, verificationKeys, trustProxy } = env;
  const { signInRateLimit, refreshRateLimit } = env;
  const secrets = env.encryptionKeys.length > 0 ? env.encryptionKeys : [await developmentSecret()];
  return {
    production,
    baseUrl,
    trustProxy,
    issuer: 'tracker',
    audience: 'tracker',
    session: {
      strategy: 'jwt',
      ttl: env.sessionTtl,
      refreshTtl: env.refreshTtl,
      refreshGrace: env.refreshGrace,
      algorithm: env.algorithm,
      cookie: { secure: env.cookieSecure },
    },
    ...toMailSettings(env, mailer),
    onEmailProven: updateAdminOnProof(env.adminEmail, stores.clock),
    onUserDeleting: removePersonalRecords,
    ...(signInRateLimit !== undefined && { emailPassword: { rateLimit: signInRateLimit } }),
    ...(refreshRateLimit !== undefined && { limits: { refresh: refreshRateLimit } }),
    ...(privateKey !== undefined && { privateKey }),
    ...(publicKey !== undefined && { publicKey }),
    verificationKeys,
    mfa: { enabled: env.mfa, issuer: 'Tracker' },
    secrets,
    ...toOAuthSettings(env, standIns),
    oauthEncryptionKey: secrets,
    developmentKeysPath,
  };
}

/** Deletes records that only a user whose account is being deleted could see. */
const removePersonalRecords: AuthHooks['onUserDeleting'] = async ({ id }, { batch }) => {
  const own = eq('ownerId', id);
  for (const entity of ['notes', 'vault']) while (await batch(({ stores }) => removeSome(stores, entity, own)));
  while (await batch(({ stores }) => removeSome(stores, 'documents', and(own, eq('shared', false)))));
};

/** Deletes some of the records that a condition selects, and says whether there are more. */
async function removeSome({ entities }: TransactionStores, entity: string, where: Where): Promise<boolean> {
  const order = [{ column: 'id', direction: 'asc' }] as const;
  const { records, hasMore } = await entities.list(entity, { where, order, after: null, limit: 500 });
  const ids = records.map(({ row }) => row.id);
  await entities.deleteAll(entity, isIn('id', ids));
  return hasMore;
}

/** Where generated keys and secrets are kept outside production. */
const developmentKeysPath = '.data/keys';

function developmentSecret(): Promise<string> {
  return loadDevelopmentSecret({ directory: developmentKeysPath, name: 'encryption-key' });
}

/** The mails that auth sends through the demo. */
function toMailSettings(
  { emailVerification, passwordReset }: Pick<Env, 'emailVerification' | 'passwordReset'>,
  mailer: Mailer,
): Pick<AuthOptions, 'emailVerification' | 'passwordReset' | 'onSecurityNotice'> {
  return {
    emailVerification: {
      enabled: emailVerification,
      onSend: ({ email }, token) => mailer.send({ kind: 'verification', to: email, token }),
    },
    passwordReset: {
      enabled: passwordReset,
      onSend: ({ email }, token, { identities }) =>
        mailer.send({ kind: 'reset', to: email, token, identities: identities.map(nameIdentity) }),
    },
    onSecurityNotice: ({ user, change }) => mailer.send({ kind: 'notice', to: user.email, change }),
  };
}

/** A mail shows no address that a mail program could take for something else. */
function nameIdentity({ provider, email }: ResetIdentity): string {
  return email !== null && isPlainAddress(email) ? `${provider} (${email})` : provider;
}

const providers = { google: googleProvider, github: githubProvider, discord: discordProvider } as const;

/** Converts the configured providers to the settings of auth; the environment takes precedence over stand-ins. */
function toOAuthSettings(
  { providers: configured }: Pick<Env, 'providers'>,
  standIns: ProvidersSettings,
): Pick<AuthSettings, 'providers'> {
  const settings: ProvidersSettings = { ...standIns, ...configured };
  return {
    providers: (['google', 'github', 'discord'] as const).flatMap((name) => {
      const found = settings[name];
      return found ? [providers[name](found)] : [];
    }),
  };
}
