import type { AuthOptions } from '@x/auth';
import { readToken } from './token-forge.ts';
import type { TestResponse, TestClient } from './test-client.ts';
import { createTestServer, type TestServer, type TestServerOptions } from './test-server.ts';
import { totpCode } from './totp-code.ts';

/** The user with a second factor in these tests. */
export const ada = { email: 'ada@example.com', password: 'correct horse battery' };

/** Settings that have the second factor, and JWTs that outlast a test. */
const mfaAuth: Pick<AuthOptions, 'mfa' | 'oauthEncryptionKey' | 'session'> = {
  mfa: { enabled: true },
  oauthEncryptionKey: 'an encryption key of the tests alone',
  session: { strategy: 'jwt', algorithm: 'ES256', ttl: '6h' },
};

/** A user with a second factor, who is signed in. */
export interface SecondFactor {
  readonly browser: TestClient;
  readonly userId: string;
  readonly secret: string;
  readonly backupCodes: readonly string[];
  /** A code of now; `steps` of 30 s away from it. */
  readonly code: (steps?: number) => string;
  /** Moves the clock to the next step, and returns its code. */
  readonly nextCode: () => string;
  /** Any six digits that are no code around now. */
  readonly wrongCode: () => string;
  /** Signs in by password in a new browser, which is left with a challenge. */
  readonly challenged: () => Promise<TestClient>;
}

/** Starts a server that has the second factor. */
export function createMfaServer({ auth, ...options }: TestServerOptions = {}): Promise<TestServer> {
  return createTestServer({ ...options, auth: { ...mfaAuth, ...auth } });
}

/** Signs a user up and turns their second factor on. This uses up the code of the current time step. */
export async function enrol({ client, clock }: TestServer, user: typeof ada = ada): Promise<SecondFactor> {
  const browser = client();
  const signedUp = await browser.post('/api/auth/signup', user);
  const { secret } = (await browser.post('/api/auth/mfa/setup')).body;
  const code = (steps = 0): string => totpCode(secret, new Date(clock.now().getTime() + steps * 30_000));
  const { body } = await browser.post('/api/auth/mfa/verify-setup', { code: code() });
  const near = (): Set<string> => new Set([-2, -1, 0, 1, 2].map(code));
  return {
    ...{ browser, secret, code, userId: signedUp.body.user.id, backupCodes: body.backupCodes },
    nextCode() {
      clock.advance(30_000);
      return code();
    },
    wrongCode: () =>
      ['000000', '000001', '000002', '000003', '000004', '000005'].find((each) => !near().has(each)) ?? '',
    async challenged() {
      const other = client();
      await other.post('/api/auth/signin', user);
      return other;
    },
  };
}

/** Submits a code for the challenge that a browser carries. */
export function submitCode(browser: TestClient, code: unknown): Promise<TestResponse> {
  return browser.post('/api/auth/mfa/challenge', { code });
}

/** Reads a claim of the JWT in the cookies of a browser. */
export function claimOf(browser: TestClient, name: string): unknown {
  const token = browser.cookies.get('app.sid');
  if (token === undefined) throw new TypeError('The browser has no JWT.');
  return readToken(token).payload[name];
}
