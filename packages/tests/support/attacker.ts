import type { SessionId, UserId } from '@x/store';
import { sessionIdOf } from './refresh-tokens.ts';
import { storeMailTokens } from './stored-account.ts';
import type { TestClient, TestRequest, TestResponse } from './test-client.ts';
import { readToken } from './token-forge.ts';
import type { Account, WholeServer } from './whole-server.ts';

/** The one thing of a victim that an attacker has got hold of. */
export const loots = [
  'a JWT',
  'a session without the password',
  'a password without the factor',
  'a link to verify the address',
  'a link to reset the password',
  'an identity at a provider',
] as const;

/** `everything` is a fresh session, the password and the backup codes: who has that is not stopped. */
export type Loot = (typeof loots)[number] | 'everything';

/** Whose credentials a request carries; the cookies of the loot and of the attacker's own account can be mixed. */
export type Guise = (typeof guises)[number];

export const guises = [
  'the victim',
  'the victim, by bearer token',
  'the victim, by bearer token, beside own cookies',
  'the victim, beside an own refresh token',
  'oneself',
  'oneself, beside a refresh token of the victim',
  'anonymous',
] as const;

/** A token that a response brought to the attacker. */
export interface Gain {
  readonly kind: 'JWT' | 'refresh token';
  readonly userId: UserId;
  readonly sessionId: SessionId;
  /** When a JWT expires, in seconds; 0 for a refresh token. */
  readonly exp: number;
}

/** A person with an account of their own, one thing of a victim, and all that responses bring. */
export interface Attacker {
  readonly own: { readonly userId: UserId; readonly email: string; readonly password: string };
  /** Identifies the attacker at all providers. */
  readonly providerId: string;
  /** The password of the victim, as far as the attacker knows. */
  victimPassword: string | null;
  /** The tokens of mails to the attacker, and stolen ones. */
  readonly mailTokens: string[];
  /** Secrets of second factors that the attacker set up. */
  readonly secrets: string[];
  /** Backup codes of the victim's factor. */
  readonly backupCodes: string[];
  /** The paths of callbacks that the attacker has not sent yet. */
  readonly callbacks: string[];
  /** All tokens that responses brought since this was last emptied. */
  readonly gains: Gain[];
  readonly send: (guise: Guise, path: string, request?: TestRequest) => Promise<TestResponse>;
}

/** Signs an attacker up, who steals one thing. */
export async function createAttacker(test: WholeServer, victim: Account, loot: Loot): Promise<Attacker> {
  const { stores } = test.server;
  const own = { email: `${crypto.randomUUID()}@evil.example`, password: 'evil horse battery' };
  const browsers = { victim: test.client(), own: test.client() };
  const userId = (await browsers.own.post('/api/auth/signup', own)).body.user.id as UserId;
  const mailed = await storeMailTokens(stores, { userId, email: own.email });
  const stolen = await storeMailTokens(stores, victim);
  const mailTokens = [mailed.verification, mailed.reset];
  if (loot === 'a link to verify the address') mailTokens.push(stolen.verification);
  if (loot === 'a link to reset the password') mailTokens.push(stolen.reset);
  const hasSession = loot === 'a session without the password' || loot === 'everything';
  const stolenCookies = hasSession ? ['app.sid', 'app.ref'] : loot === 'a JWT' ? ['app.sid'] : [];
  for (const name of stolenCookies) browsers.victim.cookies.set(name, victim.browser.cookies.get(name) ?? '');
  const knowsPassword = loot === 'a password without the factor' || loot === 'everything';
  const gains: Gain[] = [];
  return {
    ...{ own: { ...own, userId }, mailTokens, gains, secrets: [], callbacks: [] },
    backupCodes: loot === 'everything' ? [...victim.backupCodes] : [],
    providerId: String(crypto.getRandomValues(new Uint32Array(1))[0]),
    victimPassword: knowsPassword ? victim.password : null,
    async send(guise, path, request = {}) {
      const { cookies, bearer } = credentialsOf(guise, browsers);
      const browser = test.client();
      for (const [name, value] of cookies) browser.cookies.set(name, value);
      const headers = { ...(bearer && { authorization: `Bearer ${bearer}` }), ...request.headers };
      const response = await browser.send(`/api/auth${path}`, { ...request, headers });
      for (const gain of await keepCookies(test, response, { browsers, victimId: victim.userId })) gains.push(gain);
      return response;
    },
  };
}

interface Browsers {
  readonly victim: TestClient;
  readonly own: TestClient;
}

function credentialsOf(
  guise: Guise,
  { victim, own }: Browsers,
): { readonly cookies: Iterable<readonly [string, string]>; readonly bearer?: string | undefined } {
  const without = ({ cookies }: TestClient, name: string): [string, string][] =>
    [...cookies].filter(([each]) => each !== name);
  const only = ({ cookies }: TestClient, name: string): [string, string][] =>
    [...cookies].filter(([each]) => each === name);
  switch (guise) {
    case 'the victim':
      return { cookies: victim.cookies };
    case 'the victim, by bearer token':
      return { cookies: without(victim, 'app.sid'), bearer: victim.cookies.get('app.sid') };
    case 'the victim, by bearer token, beside own cookies':
      return { cookies: without(own, 'app.sid'), bearer: victim.cookies.get('app.sid') };
    case 'the victim, beside an own refresh token':
      return { cookies: [...without(victim, 'app.ref'), ...only(own, 'app.ref')] };
    case 'oneself':
      return { cookies: own.cookies };
    case 'oneself, beside a refresh token of the victim':
      return { cookies: [...without(own, 'app.ref'), ...only(victim, 'app.ref')] };
    case 'anonymous':
      return { cookies: [] };
  }
}

/** Keeps what a response brings with the cookies of whose it is; of flows and challenges, with both. */
async function keepCookies(
  test: WholeServer,
  { headers }: TestResponse,
  { browsers, victimId }: { readonly browsers: Browsers; readonly victimId: UserId },
): Promise<readonly Gain[]> {
  const gains: Gain[] = [];
  for (const cookie of headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    const gain = value === '' ? null : await toGain(test, name, value);
    if (gain !== null) gains.push(gain);
    // A browser would drop what it is told to; an attacker keeps it.
    if (value === '') continue;
    if (gain === null || gain.userId === victimId) browsers.victim.cookies.set(name, value);
    if (gain === null || gain.userId !== victimId) browsers.own.cookies.set(name, value);
  }
  return gains;
}

async function toGain({ server }: WholeServer, name: string, value: string): Promise<Gain | null> {
  if (name === 'app.sid') {
    const { sub, sid, exp } = readToken(value).payload as { sub: UserId; sid: SessionId; exp: number };
    return { kind: 'JWT', userId: sub, sessionId: sid, exp };
  }
  if (name !== 'app.ref') return null;
  const sessionId = sessionIdOf(value);
  const session = await server.stores.sessions.findById(sessionId);
  return session && { kind: 'refresh token', userId: session.userId, sessionId, exp: 0 };
}

/** Returns when the JWT in a browser expires, in seconds. */
export function expiryOf({ cookies }: TestClient): number {
  return Number(readToken(cookies.get('app.sid') ?? '').payload['exp']);
}
