import { CodedError } from '@x/errors';
import type { AuthContext } from '../auth-context.ts';
import type { AuthConfig } from '../config/auth-config.ts';
import type { Sealer } from '../secrets/sealer.ts';
import type { ProviderClient } from './provider-client.ts';

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
