import { loadDevelopmentSecret } from '@x/auth/development';
import type { ServerOptions } from '@x/server';
import { makeAdminOnProof } from './admin/admin-role.ts';
import type { Env } from './env.ts';
import type { Mailer } from './mail/mail.ts';
import { toMailSettings } from './mail/mail-settings.ts';
import { toOAuthSettings } from './oauth-settings.ts';
import { startWorkspace } from './tenants/start-workspace.ts';

/** Converts the environment to the settings of auth; a secret that is missing in development is generated. */
export async function toAuthOptions(
  env: Env,
  { mailer, standIns }: { readonly mailer: Mailer; readonly standIns: Parameters<typeof toOAuthSettings>[1] },
): Promise<ServerOptions['auth']> {
  const { production, baseUrl, privateKey, publicKey, verificationKeys, trustProxy, signInRateLimit } = env;
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
    onUserCreated: startWorkspace,
    onEmailProven: makeAdminOnProof(env.adminEmail),
    ...(signInRateLimit !== undefined && { emailPassword: { rateLimit: signInRateLimit } }),
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

/** Where generated keys and secrets are kept outside production. */
const developmentKeysPath = '.data/keys';

function developmentSecret(): Promise<string> {
  return loadDevelopmentSecret({ directory: developmentKeysPath, name: 'encryption-key' });
}
