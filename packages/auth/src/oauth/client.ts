import type { Clock } from '@x/store';
import { createRemoteJWKSet, customFetch } from 'jose/jwks/remote';
import { z } from 'zod';
import { type CallLimits, callProvider } from './call-provider.ts';
import { type ProviderKeys, verifyIdToken } from './id-token.ts';
import type {
  ClientAuthentication,
  ConfiguredProvider,
  MissingPart,
  ProviderEndpoints,
  ProviderIdentity,
} from './providers/provider.ts';

/** Talks to one provider. Every call may throw, because a provider's responses cannot be trusted. */
export interface ProviderClient {
  readonly provider: ConfiguredProvider;
  /** Always the configured one; the host that a request names does not matter. */
  readonly redirectUri: string;
  /** Returns the provider's endpoints, discovered if necessary. */
  getMetadata(): Promise<ProviderMetadata>;
  /** Finds out who signed in. */
  identify(returned: ReturnedCode): Promise<IdentifiedPerson>;
}

/** The person who signed in, as the provider describes them. */
export interface IdentifiedPerson {
  readonly identity: ProviderIdentity;
  /** The part that the provider left out; null if nothing is missing. */
  readonly missing: MissingPart | null;
}

/** Where a provider is, and how clients authenticate there. */
interface ProviderMetadata {
  readonly endpoints: ProviderEndpoints;
  readonly clientAuthentication: ClientAuthentication;
}

/** A code that the provider returned, with the state of its flow. */
interface ReturnedCode {
  readonly code: string;
  /** Null for a provider without PKCE. */
  readonly codeVerifier: string | null;
  /** Null for a provider without ID tokens. */
  readonly nonce: string | null;
}

/** More than any of these responses needs. */
const maxBytes = 256 * 1024;

/** How long discovered endpoints are cached. */
const discoveryMs = 3_600_000;

/** Creates the client of a provider. Keys and endpoints are fetched once and shared by all flows. */
export function createProviderClient(provider: ConfiguredProvider, redirectUri: string, clock: Clock): ProviderClient {
  const limits = { timeoutMs: provider.timeout, maxBytes };
  const getMetadata = cached(() => loadMetadata(provider, limits), discoveryMs, clock);
  const keysOf = memoized((jwksUrl: string) => createKeys(jwksUrl, limits));

  const idTokenClaims = (
    { idToken }: ProviderTokens,
    { issuer, jwksUrl }: ProviderEndpoints,
    nonce: string | null,
  ): ReturnType<typeof verifyIdToken> => {
    if (idToken === undefined || jwksUrl === null || nonce === null) {
      throw new Error(
        "There is no verified ID token: ask for the scope openid, and give the provider's endpoints a jwksUrl.",
      );
    }
    const { clientId, idTokenAlgorithms: algorithms } = provider;
    const expected = { keys: keysOf(jwksUrl), issuer, clientId, algorithms, nonce, now: clock.now() };
    return verifyIdToken(idToken, expected);
  };

  return {
    provider,
    redirectUri,
    getMetadata,
    async identify({ code, codeVerifier, nonce }) {
      const metadata = await getMetadata();
      const { endpoints } = metadata;
      const { clientSecret: secret } = provider;
      const call = { issuer: endpoints.issuer, now: clock.now() };
      const clientSecret = typeof secret === 'string' ? secret : await secret(call);
      const exchange = { ...metadata, clientId: provider.clientId, clientSecret, code, codeVerifier, redirectUri };
      const tokens = await exchangeCode(exchange, limits);
      const headers = { Authorization: `Bearer ${tokens.accessToken}` };
      let missing: MissingPart | null = null;
      const identity = await provider.identify({
        endpoints,
        idTokenClaims: () => idTokenClaims(tokens, endpoints, nonce),
        getJson: (url) => callProvider(url, { headers }, limits),
        async optional(read, advice) {
          try {
            return await read();
          } catch (cause) {
            missing = { advice, cause };
            return null;
          }
        },
      });
      return { identity, missing };
    },
  };
}

async function loadMetadata(
  { endpoints, overrides }: ConfiguredProvider,
  limits: CallLimits,
): Promise<ProviderMetadata> {
  if (endpoints !== 'discovery') {
    return { endpoints: { ...endpoints, ...overrides }, clientAuthentication: 'body' };
  }
  const discovered = await discover(overrides.issuer ?? '', limits);
  return { ...discovered, endpoints: { ...discovered.endpoints, ...overrides } };
}

/**
 * Discovers the endpoints of an issuer.
 *
 * @throws Error if the response is malformed, or is for another issuer
 * @see OpenID Connect Discovery 1.0 sections 4.1 to 4.3
 */
async function discover(issuer: string, limits: CallLimits): Promise<ProviderMetadata> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const found = discoveryDocument.parse(await callProvider(url, {}, limits));
  if (found.issuer !== issuer)
    throw new Error(
      'The discovery document names another issuer: set issuer to the one that it names, to the last slash.',
    );
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

const discoveryDocument = z.object({
  issuer: z.string(),
  authorization_endpoint: endpoint,
  token_endpoint: endpoint,
  userinfo_endpoint: endpoint.optional().catch(undefined),
  jwks_uri: endpoint,
  token_endpoint_auth_methods_supported: z.array(z.string()).optional().catch(undefined),
});

/** An authorization code, and the proof that it is ours. */
interface CodeExchange extends ProviderMetadata, Omit<ReturnedCode, 'nonce'> {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
}

/** The tokens that a code was exchanged for. Secret. */
interface ProviderTokens {
  readonly accessToken: string;
  readonly idToken: string | undefined;
}

/**
 * Exchanges a code for tokens.
 *
 * @throws Error if the provider refuses, even with status 200 as GitHub does
 * @see RFC 6749 sections 4.1.3 and 5.1, RFC 7636 section 4.5
 */
async function exchangeCode(exchange: CodeExchange, limits: CallLimits): Promise<ProviderTokens> {
  const { endpoints, clientAuthentication, clientId, clientSecret, code, redirectUri, codeVerifier } = exchange;
  const body = new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: redirectUri });
  if (codeVerifier !== null) body.set('code_verifier', codeVerifier);
  if (clientAuthentication === 'body') {
    body.set('client_id', clientId);
    body.set('client_secret', clientSecret);
  }
  const headers = clientAuthentication === 'header' ? { Authorization: toBasic(clientId, clientSecret) } : {};
  const response = await callProvider(endpoints.tokenUrl, { method: 'POST', headers, body }, limits);
  const parsed = tokenResponse.safeParse(response);
  if (!parsed.success)
    throw new Error(
      'The provider answered the code without tokens: check clientId and clientSecret, and that redirectUrl is registered there.',
    );
  return { accessToken: parsed.data.access_token, idToken: parsed.data.id_token };
}

const tokenResponse = z.object({
  access_token: z.string().min(1),
  id_token: z.string().optional().catch(undefined),
  error: z.undefined().optional(),
});

/** @see RFC 6749 section 2.3.1 for the encoding of both halves */
function toBasic(clientId: string, clientSecret: string): string {
  const [id, secret] = [clientId, clientSecret].map((half) => new URLSearchParams([['', half]]).toString().slice(1));
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

function createKeys(jwksUrl: string, limits: CallLimits): ProviderKeys {
  return createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: limits.timeoutMs,
    [customFetch]: async (url) => Response.json(await callProvider(url, {}, limits)),
  });
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
