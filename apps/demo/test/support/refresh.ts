import { type Answer, Browser } from './browser.ts';

/** What a refresh token gets. */
export interface Refreshed {
  readonly answer: Answer;
  /** The refresh token that the browser has afterwards; undefined where the answer took it. */
  readonly token: string | undefined;
}

/** Presents a refresh token, and nothing else of a session, to a demo, whose pages may have an origin of their own. */
export async function refresh(url: string, token: string, pageOrigin: string = url): Promise<Refreshed> {
  const browser = new Browser(url, pageOrigin);
  browser.cookies.set('app.ref', token);
  const answer = await browser.post('/api/auth/refresh');
  return { answer, token: browser.cookies.get('app.ref') };
}

/** Returns the refresh token of a browser that is signed in. */
export function refreshTokenOf({ cookies }: Browser): string {
  const token = cookies.get('app.ref');
  if (token === undefined) throw new Error('The browser has no refresh token.');
  return token;
}
