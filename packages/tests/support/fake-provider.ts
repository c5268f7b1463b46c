import type { ProviderSettings } from '@x/auth';
import { exportJWK, generateKeyPair, type GenerateKeyPairResult, type JWTPayload, SignJWT } from 'jose';
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** The person who signs in at the provider, with the members of its profile and ID token. */
export type Person = Readonly<Record<string, unknown>>;

/** Responds to a request in place of the provider. */
export type Responder = (response: ServerResponse, request: IncomingMessage) => void;

/** A provider on this machine that can act as any of the supported ones, and whose responses tests can replace. */
export interface FakeProvider {
  readonly url: string;
  /** The requested paths, in order. */
  readonly calls: readonly string[];
  /**
   * Replaces the response of a path: `/token`, `/userinfo`, `/userinfo/emails`, `/jwks`,
   * `/.well-known/openid-configuration`.
   */
  readonly responders: Map<string, Responder>;
  /** Changes the claims of each ID token, or returns the whole token. */
  idToken: (claims: JWTPayload, keys: GenerateKeyPairResult) => Promise<JWTPayload | string> | JWTPayload | string;
  /** Further members of the key that it publishes. */
  keyMembers: Readonly<Record<string, string>>;
  /** Says whether a client secret sent in a body is right. */
  acceptsSecret: (secret: string) => boolean | Promise<boolean>;
  /** The provider's settings for a client. */
  readonly settings: ProviderSettings & { readonly issuer: string };
  /** Consents to an authorization request as a person, and returns the path of the callback. */
  consent(startUrl: string, person: Person): string;
}

/** The grant behind a code until it is exchanged. */
interface Grant {
  readonly person: Person;
  readonly query: URLSearchParams;
}

const client = { clientId: 'client-1', clientSecret: 'secret-of-the-client' };

/** Generated once: RSA keys take a while. */
const keyPair = generateKeyPair('RS256', { extractable: true });

/** Starts a provider that is stopped when the test is over. */
export async function startFakeProvider(now: () => Date): Promise<FakeProvider> {
  const keys = await keyPair;
  const calls: string[] = [];
  const responders = new Map<string, Responder>();
  const codes = new Map<string, Grant>();
  const people = new Map<string, Person>();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    calls.push(path);
    const respondWith = responders.get(path);
    if (respondWith) respondWith(response, request);
    else void respond(path, request).then((body) => respondJson(response, body ?? {}, body === null ? 400 : 200));
  });
  const respond = async (path: string, request: IncomingMessage): Promise<unknown> => {
    switch (path) {
      case '/token':
        return exchange(new URLSearchParams(await text(request)), request);
      case '/userinfo':
        return personOf(request);
      case '/userinfo/emails':
        return personOf(request)?.['emails'] ?? null;
      case '/jwks':
        return {
          keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'key-1', alg: 'RS256', use: 'sig', ...fake.keyMembers }],
        };
      case '/.well-known/openid-configuration':
        return discovery(fake.url);
      default:
        return null;
    }
  };
  const personOf = ({ headers }: IncomingMessage): Person | null =>
    people.get(headers.authorization?.replace('Bearer ', '') ?? '') ?? null;

  const exchange = async (sent: URLSearchParams, request: IncomingMessage): Promise<unknown> => {
    const grant = codes.get(sent.get('code') ?? '');
    codes.delete(sent.get('code') ?? '');
    if (!grant || !(await provesClient(sent, request)) || !fits(sent, grant.query)) return null;
    const accessToken = randomUUID();
    people.set(accessToken, grant.person);
    const body = { access_token: accessToken, token_type: 'Bearer', expires_in: 3600 };
    if (!grant.query.get('scope')?.includes('openid')) return body;
    const seconds = Math.floor(now().getTime() / 1000);
    const nonce = grant.query.get('nonce');
    const standard = { iss: fake.url, aud: client.clientId, iat: seconds, exp: seconds + 3600, nonce };
    const claims = await fake.idToken({ ...standard, ...grant.person } as JWTPayload, keys);
    return { ...body, id_token: typeof claims === 'string' ? claims : await signIdToken(claims, keys) };
  };

  const provesClient = async (sent: URLSearchParams, { headers }: IncomingMessage): Promise<boolean> => {
    const basic = `Basic ${Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64')}`;
    if (headers.authorization === basic) return true;
    return sent.get('client_id') === client.clientId && fake.acceptsSecret(sent.get('client_secret') ?? '');
  };

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fake: FakeProvider = {
    url,
    calls,
    responders,
    idToken: (claims) => claims,
    keyMembers: {},
    acceptsSecret: (secret) => secret === client.clientSecret,
    settings: {
      ...client,
      authorizationUrl: `${url}/authorize?tenant=1`,
      tokenUrl: `${url}/token`,
      userInfoUrl: `${url}/userinfo`,
      issuer: url,
      jwksUrl: `${url}/jwks`,
    },
    consent(startUrl, person) {
      const query = new URL(startUrl).searchParams;
      const code = randomUUID();
      codes.set(code, { person, query });
      const back = new URL(query.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', query.get('state') ?? '');
      return back.pathname + back.search;
    },
  };
  return fake;
}

/** Signs claims as the provider does. */
export function signIdToken(claims: JWTPayload, { privateKey }: GenerateKeyPairResult): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'key-1' }).sign(privateKey);
}

/** Responds with JSON. */
export function respondJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** RFC 6749 section 4.1.3, RFC 7636 section 4.6. */
function fits(sent: URLSearchParams, query: URLSearchParams): boolean {
  const verifier = sent.get('code_verifier');
  const challenge = verifier === null ? null : createHash('sha256').update(verifier).digest('base64url');
  return sent.get('redirect_uri') === query.get('redirect_uri') && challenge === query.get('code_challenge');
}

function discovery(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
  };
}
