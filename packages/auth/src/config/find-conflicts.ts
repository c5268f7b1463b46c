import { reservedUserFields } from '../user/user.ts';
import type { AuthConfig } from './auth-config.ts';

/** The settings with their defaults, before those that are derived from others are filled in. */
export type ParsedSettings = Omit<AuthConfig, 'issuer' | 'audience'> & {
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
    needs: ['production', 'session'],
    find: ({ production, session }) =>
      production && !session.cookie.secure ? ['session.cookie.secure: cannot be false in production'] : [],
  },
  {
    needs: ['session'],
    find: ({ session: { cookie } }) =>
      cookie.sameSite === 'none' && !cookie.secure ? ["session.cookie.sameSite: 'none' needs secure cookies"] : [],
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

function missingKeys(keys: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(keys)
    .filter(([, pem]) => pem === undefined || pem.trim() === '')
    .map(([name]) => `${name}: a PEM is required in production`);
}
