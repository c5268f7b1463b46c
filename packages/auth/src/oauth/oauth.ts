import { CodedError } from '@x/errors';
import type { Clock } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import type { AuthConfig } from '../config/auth-config.ts';
import { deriveKey } from '../secrets/derive-key.ts';
import { createSealer, type Sealer } from '../secrets/sealer.ts';
import { createProviderClient, type ProviderClient } from './client.ts';

/** What the flows of an auth work with. */
export interface OAuthParts {
  readonly clients: ReadonlyMap<string, ProviderClient>;
  readonly states: Sealer;
}

/** Creates the parts; null if the app has no providers. */
export function createOAuthParts({ providers, oauthEncryptionKey }: AuthConfig, clock: Clock): OAuthParts | null {
  if (providers.length === 0) return null;
  return {
    clients: new Map(providers.map((provider) => [provider.id, createProviderClient(provider, clock)])),
    states: createSealer(oauthEncryptionKey.map((secret) => deriveKey(secret, 'oauth-state'))),
  };
}

/** A provider, and the sealer for the states of its flows. */
export interface ProviderParts {
  readonly client: ProviderClient;
  readonly states: Sealer;
}

/**
 * Finds a configured provider.
 *
 * @throws CodedError `NOT_FOUND` for any other text
 */
export function requireProvider({ oauth }: Pick<AuthContext, 'oauth'>, id: string): ProviderParts {
  const client = oauth?.clients.get(id);
  if (!oauth || !client) throw new CodedError('NOT_FOUND', 'There is no such provider.');
  return { client, states: oauth.states };
}

/** Returns the redirect URI of a provider: always the configured one, whatever host a request names. */
export function redirectUriOf({ baseUrl }: Pick<AuthConfig, 'baseUrl'>, { provider }: ProviderClient): string {
  return provider.redirectUrl ?? new URL(`/api/auth/oauth/${provider.id}/callback`, baseUrl).href;
}

/** A configured provider, as a sign-in page shows it. */
export interface PublicProvider {
  readonly id: string;
  readonly name: string;
  /** The path that starts a sign-in. */
  readonly url: string;
}

/** Lists the app's providers, in the configured order. */
export function listProviders({ config }: Pick<AuthContext, 'config'>): readonly PublicProvider[] {
  return config.providers.map(({ id, name }) => ({ id, name, url: `/api/auth/oauth/${id}` }));
}
