import { z } from 'zod';
import { callProvider, type CallLimits } from './call-provider.ts';
import type { ClientAuthentication, ProviderEndpoints } from './providers/provider.ts';

/** What a provider publishes about itself. */
export interface DiscoveredProvider {
  readonly endpoints: ProviderEndpoints;
  readonly clientAuthentication: ClientAuthentication;
}

/**
 * Discovers the endpoints of an issuer.
 *
 * @throws Error if the response is malformed, or is for another issuer
 * @see OpenID Connect Discovery 1.0 sections 4.1 to 4.3
 */
export async function discoverEndpoints(issuer: string, limits: CallLimits): Promise<DiscoveredProvider> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const found = metadata.parse(await callProvider(url, {}, limits));
  if (found.issuer !== issuer) throw new Error('The discovery document is of another issuer.');
  return {
    endpoints: {
      authorizationUrl: found.authorization_endpoint,
      tokenUrl: found.token_endpoint,
      userInfoUrl: found.userinfo_endpoint ?? null,
      issuer,
      jwksUrl: found.jwks_uri,
    },
    // The default, if the provider does not say.
    clientAuthentication: found.token_endpoint_auth_methods_supported?.includes('client_secret_post')
      ? 'body'
      : 'header',
  };
}

const endpoint = z.url({ protocol: /^https?$/ });

const metadata = z.object({
  issuer: z.string(),
  authorization_endpoint: endpoint,
  token_endpoint: endpoint,
  userinfo_endpoint: endpoint.optional(),
  jwks_uri: endpoint,
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
});
