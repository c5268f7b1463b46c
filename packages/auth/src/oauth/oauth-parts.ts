import type { Clock } from '@x/store';
import type { AuthConfig } from '../config/auth-config.ts';
import { deriveKey } from '../secrets/derive-key.ts';
import { createSealer, type Sealer } from '../secrets/sealer.ts';
import { createProviderClient, type ProviderClient } from './provider-client.ts';

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
