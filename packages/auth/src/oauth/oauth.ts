import { CodedError } from '@x/errors';
import type { Clock, UserId } from '@x/store';
import type { EmailDependencies } from '../email/email.ts';
import { createSealer, deriveKey, type Sealer } from '../keys/sealer.ts';
import type { MfaDependencies } from '../mfa/mfa.ts';
import type { CookieConfig } from '../session/cookies.ts';
import type { FeatureDependencies } from '../session/session.ts';
import type { AuthHooks } from '../user/hooks.ts';
import type { UserConfig } from '../user/user.ts';
import { createProviderClient, type ProviderClient } from './client.ts';
import type { ConfiguredProvider } from './providers/provider.ts';

/** The settings of providers. */
export interface OAuthConfig {
  /** Present unless every provider has a `redirectUrl`. */
  readonly baseUrl?: string | undefined;
  readonly providers: readonly ConfiguredProvider[];
  /** The current secret first; empty if no feature needs one. */
  readonly oauthEncryptionKey: readonly string[];
  readonly oauthSuccessRedirect: string;
  readonly oauthErrorRedirect: string;
  readonly mfaRedirect: string;
}

/** The dependencies of sign-in by providers. */
export interface OAuthDependencies extends FeatureDependencies {
  readonly config: OAuthConfig & CookieConfig & UserConfig;
  /** By the id of the provider. */
  readonly providers: ReadonlyMap<string, ProviderDependencies>;
  readonly hooks: Pick<AuthHooks, 'beforeSignUp' | 'onUserCreated'>;
  readonly newUserId: () => UserId;
  readonly emails: EmailDependencies;
  readonly mfa: MfaDependencies;
}

/** The dependencies of the flows of one provider. */
export interface ProviderDependencies {
  readonly client: ProviderClient;
  /** Encrypts the states that flows keep in the browser. */
  readonly states: Sealer;
}

/** Creates the clients of the app's providers, by id. */
export function createProviders(
  { providers, oauthEncryptionKey, baseUrl, basePath }: OAuthConfig & CookieConfig,
  clock: Clock,
): OAuthDependencies['providers'] {
  // Without providers there need not be a key.
  if (providers.length === 0) return new Map();
  const states = createSealer(oauthEncryptionKey.map((secret) => deriveKey(secret, 'oauth-state')));
  const redirectUriOf = ({ id, redirectUrl }: ConfiguredProvider): string =>
    redirectUrl ?? new URL(`${basePath}/oauth/${id}/callback`, baseUrl).href;
  return new Map(
    providers.map((each) => [each.id, { client: createProviderClient(each, redirectUriOf(each), clock), states }]),
  );
}

/** @throws CodedError `NOT_FOUND` for any text but the id of a configured provider */
export function requireProvider({ providers }: Pick<OAuthDependencies, 'providers'>, id: string): ProviderDependencies {
  const provider = providers.get(id);
  if (provider === undefined) throw new CodedError('NOT_FOUND', 'There is no such provider.');
  return provider;
}

/** A configured provider, as a sign-in page shows it. */
export interface PublicProvider {
  readonly id: string;
  readonly name: string;
  /** The path that starts a sign-in. */
  readonly url: string;
}

/** Lists the app's providers, in the configured order. */
export function listProviders({ config }: Pick<OAuthDependencies, 'config'>): readonly PublicProvider[] {
  return config.providers.map(({ id, name }) => ({ id, name, url: `${config.basePath}/oauth/${id}` }));
}
