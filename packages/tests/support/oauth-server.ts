import { type AuthOptions, discordProvider, githubProvider, googleProvider, oidcProvider } from '@x/auth';
import { type FakeProvider, type Person, startFakeProvider } from './fake-provider.ts';
import type { TestResponse, TestClient } from './test-client.ts';
import { createTestDatabase, createTestServer, type TestServer, type TestServerOptions } from './test-server.ts';

/** A server with all providers, which are one program on this machine. */
export interface OAuthTestServer extends TestServer {
  readonly fake: FakeProvider;
}

/** Starts a server with Google, GitHub, Discord and `company`, an OIDC provider that is found by discovery. */
export async function createOAuthServer(options: TestServerOptions = {}): Promise<OAuthTestServer> {
  const database = options.database ?? createTestDatabase(options.engine ?? 'memory');
  const fake = await startFakeProvider(() => database.clock.now());
  const auth = { ...providersOf(fake), ...options.auth };
  return { ...(await createTestServer({ ...options, database, auth })), fake };
}

/** Returns the settings of an auth whose providers are all one program. */
export function providersOf({ settings }: FakeProvider): Pick<AuthOptions, 'providers' | 'oauthEncryptionKey'> {
  const { issuer, clientId, clientSecret } = settings;
  return {
    oauthEncryptionKey: 'any text will do, if nobody else has it',
    providers: [
      googleProvider(settings),
      githubProvider(settings),
      discordProvider(settings),
      oidcProvider({ id: 'company', name: 'Company', issuer, clientId, clientSecret }),
    ],
  };
}

/** Begins a sign-in and returns where the browser is sent. */
export async function start(client: TestClient, provider: string, query = ''): Promise<string> {
  const response = await client.get(`/api/auth/oauth/${provider}${query}`);
  const location = response.headers.get('location');
  if (response.status !== 302 || location === null)
    throw new TypeError(`No start: ${response.status} ${response.text}`);
  return location;
}

/** Signs a person in by a provider, from the button to the response of the callback. */
export async function signInBy(
  { client, fake }: { readonly client: TestClient; readonly fake: FakeProvider },
  provider: string,
  person: Person,
): Promise<TestResponse> {
  return client.get(fake.consent(await start(client, provider), person));
}

/** Returns where a response redirects the browser; for any other response, a description of it. */
export function locationOf({ status, headers, text }: TestResponse): string {
  return status === 302 ? (headers.get('location') ?? 'none') : `${status} ${text}`;
}
