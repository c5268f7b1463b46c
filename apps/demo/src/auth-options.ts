import type { AuthHooks } from '@x/auth';
import { loadDevelopmentSecret } from '@x/auth/development';
import type { ServerOptions } from '@x/server';
import type { Stores } from '@x/store';
import { makeAdminOnProof } from './admin/admin-role.ts';
import type { Env } from './env.ts';
import { makeAcceptInvitations } from './invitations/accept-invitations.ts';
import type { Mailer } from './mail/mail.ts';
import { toMailSettings } from './mail/mail-settings.ts';
import { toOAuthSettings } from './oauth-settings.ts';
import { removePersonalRecords } from './entities/remove-personal-records.ts';
import { beforeUserDelete } from './organizations/before-user-delete.ts';
import { makeStartWorkspace } from './organizations/start-workspace.ts';
import { createTenancy } from './organizations/tenancy.ts';

/** What auth works with in the demo. */
export interface AuthParts {
  readonly stores: Stores;
  readonly mailer: Mailer;
  readonly standIns: Parameters<typeof toOAuthSettings>[1];
}

/** Converts the environment to the settings of auth; secrets that are missing in development are generated. */
export async function toAuthOptions(env: Env, { stores, mailer, standIns }: AuthParts): Promise<ServerOptions['auth']> {
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
    tenant: createTenancy(stores),
    onUserCreated: makeStartWorkspace(stores.clock),
    onEmailProven: inTurn(makeAdminOnProof(env.adminEmail), makeAcceptInvitations(stores.clock)),
    beforeUserDelete,
    onUserDeleted: removePersonalRecords,
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

function inTurn(...hooks: readonly AuthHooks['onEmailProven'][]): AuthHooks['onEmailProven'] {
  return async (user, context) => {
    for (const hook of hooks) await hook(user, context);
  };
}

/** Where generated keys and secrets are kept outside production. */
const developmentKeysPath = '.data/keys';

function developmentSecret(): Promise<string> {
  return loadDevelopmentSecret({ directory: developmentKeysPath, name: 'encryption-key' });
}
