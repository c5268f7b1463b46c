import { findUnknownOptions } from '@x/errors';
import { z } from 'zod';
import {
  type ConfiguredProvider,
  type CreateClientSecret,
  type OAuthProvider,
  providerSettingNames,
} from '../oauth/providers/provider.ts';
import { isOwnPath } from '../oauth/redirect-target.ts';
import { duration } from '../duration.ts';

/**
 * Says whether a text is a valid redirect target. Operators may configure another origin, but it must be unambiguous.
 */
export function isRedirectSetting(text: string): boolean {
  return isOwnPath(text) || (/^https?:\/\/[^\\\s]+$/.test(text) && URL.canParse(text) && !/\p{Cc}/u.test(text));
}

const url = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });
const name = z.string().min(1, 'must not be empty');

const settings = z.object({
  clientId: name,
  clientSecret: z.union([name, z.custom<CreateClientSecret>((value) => typeof value === 'function')], {
    error: 'must be a text that is not empty, or a function that makes one',
  }),
  redirectUrl: url.optional(),
  scopes: z
    .array(
      z
        .string()
        .regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be a scope: one for each member of the list, without spaces'),
    )
    .optional(),
  timeout: duration.default(10_000),
  authorizationUrl: url.optional(),
  tokenUrl: url.optional(),
  userInfoUrl: url.optional(),
  issuer: url.optional(),
  jwksUrl: url.optional(),
  mapProfile: z
    .custom<ConfiguredProvider['mapProfile']>((value) => typeof value === 'function', 'must be a function')
    .optional(),
});

const listed = z.custom<OAuthProvider>(
  (value) => typeof value === 'object' && value !== null && 'identify' in value && 'settings' in value,
  'must be a provider, such as googleProvider({ … })',
);

/**
 * Finds the unknown settings of a provider. The function that makes a provider checks the settings that only this
 * provider has.
 */
export function findUnknownProviderSettings(provider: unknown): readonly string[] {
  const { success, data } = listed.safeParse(provider);
  return success ? findUnknownOptions(data.settings, providerSettingNames, `providers.${data.id}`) : [];
}

/** The providers of an app. Problems are reported under the id of the provider. */
export const providers: z.ZodType<readonly ConfiguredProvider[]> = z.array(listed).transform((list, context) => {
  const ids = list.map(({ id }) => id);
  const configured = list.flatMap((provider, index) => {
    const { id } = provider;
    const refuse = (path: readonly PropertyKey[], message: string): void =>
      context.addIssue({ code: 'custom', path: [id, ...path], message });
    if (!/^[a-z][a-z0-9-]{0,31}$/.test(id)) refuse([], 'the id must be of lower-case letters, digits and hyphens');
    if (ids.indexOf(id) !== index) refuse([], 'is listed twice: give one of them another id');
    if (provider.endpoints === 'discovery' && provider.settings.issuer === undefined)
      refuse(['issuer'], 'is required: the endpoints are discovered from it');
    const parsed = settings.safeParse(provider.settings, { reportInput: false });
    for (const { path, message } of parsed.error?.issues ?? []) refuse(path, message);
    return parsed.success ? [toConfigured(provider, parsed.data)] : [];
  });
  return context.issues.length > 0 ? z.NEVER : configured;
});

function toConfigured(provider: OAuthProvider, parsed: z.output<typeof settings>): ConfiguredProvider {
  const { clientId, clientSecret, redirectUrl, timeout, scopes, mapProfile, ...endpoints } = parsed;
  return {
    id: provider.id,
    name: provider.name,
    scopes: scopes ?? provider.scopes,
    endpoints: provider.endpoints,
    isTrusted: provider.isTrusted,
    usesPkce: provider.usesPkce,
    responseMode: provider.responseMode,
    idTokenAlgorithms: provider.idTokenAlgorithms,
    identify: (response) => provider.identify(response),
    clientId,
    clientSecret,
    redirectUrl,
    mapProfile,
    timeout,
    overrides: Object.fromEntries(Object.entries(endpoints).filter(([, value]) => value !== undefined)),
  };
}
