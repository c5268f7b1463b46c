import { type Answer, Browser } from './browser.ts';

/** The answer to a refresh token. */
export interface Refreshed {
  readonly answer: Answer;
  /** The refresh token that the browser has afterwards; undefined where the answer took it. */
  readonly token: string | undefined;
  /** The JWT that the answer brought, if it did. */
  readonly accessToken: string | undefined;
}

/** From where a refresh token is presented. */
export interface RefreshOptions {
  /** The origin that pages send. Default: the address of the demo. */
  readonly pageOrigin?: string;
  /** The client that a proxy would name. Default: there is no proxy. */
  readonly address?: string;
}

/** Presents a refresh token, and nothing else of a session, to a demo. */
export async function refresh(url: string, token: string, options: RefreshOptions = {}): Promise<Refreshed> {
  const { pageOrigin = url, address = null } = options;
  const browser = new Browser(url, pageOrigin);
  browser.cookies.set('app.ref', token);
  const headers = { 'x-forwarded-for': address };
  const answer = await browser.send('/api/auth/refresh', { method: 'POST', headers });
  return { answer, token: browser.cookies.get('app.ref'), accessToken: browser.cookies.get('app.sid') };
}

/** Returns the refresh token of a browser that is signed in. */
export function refreshTokenOf({ cookies }: Browser): string {
  const token = cookies.get('app.ref');
  if (token === undefined) throw new Error('The browser has no refresh token.');
  return token;
}

/** Reads the id of the session that a refresh token is of: its first bytes. */
export function sessionIdOf(token: string): string {
  const hex = Buffer.from(token, 'base64url').toString('hex', 0, 16);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Reads how often a session had been refreshed when it got a refresh token: the bytes after its id. */
export function generationOf(token: string): number {
  return Buffer.from(token, 'base64url').readUInt32BE(16);
}
