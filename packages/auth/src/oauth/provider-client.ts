import type { Clock } from '@x/store';
import { createRemoteJWKSet, customFetch } from 'jose/jwks/remote';
import type { JWTVerifyGetKey } from 'jose/jwt/verify';
import type { ConfiguredProvider } from '../config/auth-config.ts';
import { callProvider, type CallLimits } from './call-provider.ts';
import { type DiscoveredProvider, discoverEndpoints } from './discover-endpoints.ts';
import { exchangeCode, type ProviderTokens } from './exchange-code.ts';
import type { ProviderResponse, ProviderIdentity } from './providers/provider.ts';
import { verifyIdToken } from './id-token.ts';

/** A code that the provider returned, with what its flow remembered. */
interface ReturnedCode {
  readonly code: string;
  readonly redirectUri: string;
  readonly codeVerifier: string | null;
  readonly nonce: string | null;
}

/** Talks to one provider. Every call may throw, because a provider's responses cannot be trusted. */
export interface ProviderClient {
  readonly provider: ConfiguredProvider;
  /** Returns the provider's endpoints, discovered if necessary. */
  locate(): Promise<DiscoveredProvider>;
  /** Finds out who signed in. */
  identify(returned: ReturnedCode): Promise<ProviderIdentity>;
}

/** More than any of these responses needs. */
const maxBytes = 256 * 1024;

/** How long discovered endpoints are cached. */
const discoveryMs = 3_600_000;

/** Creates the client of a provider. Keys and endpoints are fetched once and shared by all flows. */
export function createProviderClient(provider: ConfiguredProvider, clock: Clock): ProviderClient {
  const limits = { timeoutMs: provider.timeout, maxBytes };
  const locate = cached(() => discover(provider, limits), discoveryMs, clock);
  const keysOf = memoized((jwksUrl: string) => createKeys(jwksUrl, limits));

  const toAnswer = (
    tokens: ProviderTokens,
    { endpoints }: DiscoveredProvider,
    nonce: string | null,
  ): ProviderResponse => ({
    endpoints,
    idTokenClaims: () => {
      const { idToken } = tokens;
      const { issuer, jwksUrl } = endpoints;
      if (idToken === undefined || jwksUrl === null || nonce === null) throw new Error('There is no ID token.');
      const { clientId, idTokenAlgorithms: algorithms } = provider;
      const terms = {
        keys: keysOf(jwksUrl),
        issuers: acceptedIssuers(issuer),
        clientId,
        algorithms,
        nonce,
        now: clock.now(),
      };
      return verifyIdToken(idToken, terms);
    },
    getJson: (url) => callProvider(url, { headers: { Authorization: `Bearer ${tokens.accessToken}` } }, limits),
  });

  return {
    provider,
    locate,
    async identify({ nonce, ...returned }) {
      const located = await locate();
      const { endpoints, clientAuthentication } = located;
      const { clientId, clientSecret } = provider;
      const client = { tokenUrl: endpoints.tokenUrl, clientId, clientSecret, clientAuthentication };
      const tokens = await exchangeCode({ ...client, ...returned }, limits);
      return provider.identify(toAnswer(tokens, located, nonce));
    },
  };
}

async function discover({ endpoints, overrides }: ConfiguredProvider, limits: CallLimits): Promise<DiscoveredProvider> {
  if (endpoints !== 'discovery') {
    return { endpoints: { ...endpoints, ...overrides }, clientAuthentication: 'body' };
  }
  const found = await discoverEndpoints(overrides.issuer ?? '', limits);
  return { ...found, endpoints: { ...found.endpoints, ...overrides } };
}

function createKeys(jwksUrl: string, limits: CallLimits): JWTVerifyGetKey {
  return createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: limits.timeoutMs,
    [customFetch]: async (url) => Response.json(await callProvider(url, {}, limits)),
  });
}

/** Google's documentation allows ID tokens to leave out the scheme. */
function acceptedIssuers(issuer: string): readonly string[] {
  return issuer === 'https://accounts.google.com' ? [issuer, 'accounts.google.com'] : [issuer];
}

/** Caches a result for a while; concurrent calls share one load. Failures are not cached. */
function cached<T>(load: () => Promise<T>, maxAgeMs: number, clock: Clock): () => Promise<T> {
  let known: { readonly at: number; readonly result: Promise<T> } | undefined;
  return () => {
    const now = clock.now().getTime();
    if (known !== undefined && now - known.at < maxAgeMs) return known.result;
    const result = load();
    const entry = { at: now, result };
    known = entry;
    result.catch(() => {
      if (known === entry) known = undefined;
    });
    return result;
  };
}

function memoized<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>();
  return (key) => {
    const known = made.get(key) ?? make(key);
    made.set(key, known);
    return known;
  };
}
