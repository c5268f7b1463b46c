import { CodedError } from '@x/errors';
import type { Clock } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import type { AuthConfig } from '../config/auth-config.ts';
import { deriveKey } from '../secrets/derive-key.ts';
import { createSealer, type Sealer } from '../secrets/sealer.ts';
import { createProviderClient, type ProviderClient } from './provider-client.ts';

/** What the flows of an auth are made of. */
export interface OAuthParts {
  readonly clients: ReadonlyMap<string, ProviderClient>;
  readonly states: Sealer;
}

/** Makes the parts; null where the app has no provider. */
export function createOAuthParts({ providers, oauthEncryptionKey }: AuthConfig, clock: Clock): OAuthParts | null {
  if (providers.length === 0) return null;
  return {
    clients: new Map(providers.map((provider) => [provider.id, createProviderClient(provider, clock)])),
    states: createSealer(oauthEncryptionKey.map((secret) => deriveKey(secret, 'oauth-state'))),
  };
}

/** One provider, and what seals the states of its flows. */
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

/** Returns where the provider sends the browser back to: what is configured, whatever host a request names. */
export function redirectUriOf({ baseUrl }: Pick<AuthConfig, 'baseUrl'>, { provider }: ProviderClient): string {
  return provider.redirectUrl ?? new URL(`/api/auth/oauth/${provider.id}/callback`, baseUrl).href;
}
