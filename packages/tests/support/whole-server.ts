import type { Tenancy } from '@x/auth';
import type { SessionId, UserId } from '@x/store';
import { createMailbox, type Mailbox } from './mailbox.ts';
import { createOAuthServer, type OAuthTestServer } from './oauth-server.ts';
import { deriveToken, storedHash } from './refresh-tokens.ts';
import { sampleAccess } from './sample-access.ts';
import type { TestClient } from './test-client.ts';
import type { TestServerOptions } from './test-server.ts';
import { readToken } from './token-forge.ts';
import { totpCode } from './totp-code.ts';

/** A server with every feature of auth. */
export interface WholeServer extends OAuthTestServer {
  readonly mailbox: Mailbox;
}

/** Everybody is a member of the tenants `one` and `two`. */
const tenant: Tenancy = {
  list: () => [
    { id: 'one', name: 'First' },
    { id: 'two', name: 'Second' },
  ],
  isMember: (_user, id) => id === 'one' || id === 'two',
};

/** Starts a server whose auth has every feature, and whose JWTs last an hour unless other settings are given. */
export async function createWholeServer({ auth, ...options }: TestServerOptions = {}): Promise<WholeServer> {
  const mailbox = createMailbox();
  const test = await createOAuthServer({
    access: sampleAccess,
    ...options,
    auth: {
      ...mailbox.auth,
      mfa: { enabled: true },
      tenant,
      session: { strategy: 'jwt', algorithm: 'ES256', ttl: '1h' },
      ...auth,
    },
  });
  return { ...test, mailbox };
}

/** The properties of an {@link Account} from the start. */
export interface AccountOptions {
  /** Whether a second factor is turned on, in another session than the account's own. Default false. */
  readonly hasFactor?: boolean;
  /** Whether it has a password at the end. Default true. */
  readonly hasPassword?: boolean;
  /** Whether its address is proven. Default false. */
  readonly isProven?: boolean;
}

/** An account with two sessions and two linked identities, all of whose secrets are known. */
export interface Account {
  readonly userId: UserId;
  readonly email: string;
  readonly password: string;
  /** The browser of the session that the tests are about. */
  readonly browser: TestClient;
  readonly sessionId: SessionId;
  /** The browser of the other session. */
  readonly otherBrowser: TestClient;
  readonly otherSessionId: SessionId;
  /** The ids that its identities have at `google` and `github`. */
  readonly providerId: string;
  /** Empty if it has no second factor. */
  readonly backupCodes: readonly string[];
  /** A code of the second factor that has not been used; any text if it has none. */
  readonly code: () => string;
  /** Six digits that are no code around now. */
  readonly wrongCode: () => string;
}

/** Signs a user up, with all that their account is to have. */
export async function createAccount(test: WholeServer, options: AccountOptions = {}): Promise<Account> {
  const { hasFactor = false, hasPassword = true, isProven = false } = options;
  const { stores } = test.server;
  const providerId = crypto.randomUUID();
  const [email, password] = [`${providerId}@example.com`, 'correct horse battery'];
  const [browser, otherBrowser] = [test.client(), test.client()];
  const userId = (await browser.post('/api/auth/signup', { email, password })).body.user.id as UserId;
  await otherBrowser.post('/api/auth/signin', { email, password });
  for (const provider of ['google', 'github']) {
    await stores.oauthAccounts.link({ userId, provider, providerId, email });
  }
  if (isProven) await stores.users.proveEmail(userId, email);
  let [secret, backupCodes]: [string, readonly string[]] = ['', []];
  if (hasFactor) {
    ({ secret } = (await otherBrowser.post('/api/auth/mfa/setup')).body);
    const code = totpCode(secret, test.clock.now());
    ({ backupCodes } = (await otherBrowser.post('/api/auth/mfa/verify-setup', { code })).body);
  }
  if (!hasPassword) await stores.users.setPassword(userId, null);
  const codeIn = (steps: number): string => totpCode(secret, new Date(test.clock.now().getTime() + steps * 30_000));
  return {
    ...{ userId, email, password, browser, otherBrowser, providerId, backupCodes },
    sessionId: sessionOf(browser),
    otherSessionId: sessionOf(otherBrowser),
    code: () => (secret === '' ? '123456' : codeIn(1)),
    wrongCode() {
      const near = new Set(secret === '' ? [] : [-2, -1, 0, 1, 2].map(codeIn));
      return ['000000', '000001', '000002', '000003', '000004', '000005'].find((each) => !near.has(each)) ?? '';
    },
  };
}

/** Returns the session of the JWT in a browser. */
export function sessionOf({ cookies }: TestClient): SessionId {
  return readToken(cookies.get('app.sid') ?? '').payload['sid'] as SessionId;
}

/** Rotates the refresh token of a session as a refresh would, and returns the new one. */
export async function rotate(test: WholeServer, sessionId: SessionId): Promise<string> {
  const { sessions } = test.server.stores;
  const session = await sessions.findById(sessionId);
  if (session === null) throw new TypeError('There is no such session.');
  const next = deriveToken(test, session, session.generation + 1);
  await sessions.rotate(sessionId, { expectedHash: session.refreshTokenHash, nextHash: storedHash(next) });
  return next;
}
