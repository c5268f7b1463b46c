import type { ProviderSettings } from '@x/auth';
import { z } from 'zod';

/** The providers that the demo has buttons for. */
const providerNames = ['google', 'github', 'discord'] as const;

/** One of them. */
export type ProviderName = (typeof providerNames)[number];

/** What the variables say of one provider. */
export type ProviderVariables = Omit<ProviderSettings, 'redirectUrl' | 'scopes' | 'timeout'>;

/** How each setting of a provider is spelled behind its name and an underscore. */
const suffixes: Readonly<Record<keyof ProviderVariables, string>> = {
  clientId: 'CLIENT_ID',
  clientSecret: 'CLIENT_SECRET',
  authorizationUrl: 'AUTHORIZATION_URL',
  tokenUrl: 'TOKEN_URL',
  userInfoUrl: 'USERINFO_URL',
  issuer: 'ISSUER',
  jwksUrl: 'JWKS_URL',
};

const settings = Object.keys(suffixes) as readonly (keyof ProviderVariables)[];

/** Names the variable of a provider's setting. */
function providerVariable(provider: ProviderName, setting: keyof ProviderVariables): string {
  return `${provider.toUpperCase()}_${suffixes[setting]}`;
}

/** The variables by name, with the settings of the library that they become. */
export const providerVariables: readonly (readonly [variable: string, setting: string])[] = providerNames.flatMap(
  (provider) =>
    settings.map((setting) => [providerVariable(provider, setting), `providers.${provider}.${setting}`] as const),
);

const url = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).optional();

/** The schemas of the variables, by name. */
export const oauthVariables: Readonly<Record<string, z.ZodType<string | undefined>>> = Object.fromEntries(
  providerNames.flatMap((provider) =>
    settings.map((setting) => [
      providerVariable(provider, setting),
      setting === 'clientId' || setting === 'clientSecret' ? z.string().optional() : url,
    ]),
  ),
);

/** Finds providers that are told of in part only: whoever sets one variable of theirs means them to be there. */
export function findHalfProviders(given: Readonly<Record<string, string | undefined>>): readonly string[] {
  return providerNames.flatMap((provider) => {
    const names = settings.map((setting) => providerVariable(provider, setting));
    const [first] = names.filter((name) => given[name] !== undefined);
    if (first === undefined) return [];
    const missing = names.slice(0, 2).filter((name) => given[name] === undefined);
    return missing.map((name) => `${name}: is required with ${first}`);
  });
}

/** Gathers the providers that are told of. */
export function toProviders(
  given: Readonly<Record<string, string | undefined>>,
): Partial<Record<ProviderName, ProviderVariables>> {
  const told = providerNames.filter((provider) => given[providerVariable(provider, 'clientId')] !== undefined);
  return Object.fromEntries(
    told.map((provider) => {
      const values = settings.map((setting) => [setting, given[providerVariable(provider, setting)]] as const);
      return [provider, Object.fromEntries(values.filter(([, value]) => value !== undefined))];
    }),
  );
}
