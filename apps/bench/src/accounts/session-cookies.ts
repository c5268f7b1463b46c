import type { Answer } from '../load/parse-answer.ts';

/** The cookies of a signed-in browser. */
export interface SessionCookies {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** Writes the `Cookie` header that a browser sends below `/api/auth`. */
export function cookieHeader({ accessToken, refreshToken }: SessionCookies): string {
  return `app.sid=${accessToken}; app.ref=${refreshToken}`;
}

/** Reads both cookies from the answer that sets them. */
export function readSessionCookies({ head }: Answer): SessionCookies {
  const [, accessToken] = setAccessToken.exec(head) ?? [];
  const [, refreshToken] = setRefreshToken.exec(head) ?? [];
  if (!accessToken || !refreshToken) throw new Error(`The answer sets no session:\n${head}`);
  return { accessToken, refreshToken };
}

const setAccessToken = /\r\nset-cookie: app\.sid=([^;\r]*)/i;
const setRefreshToken = /\r\nset-cookie: app\.ref=([^;\r]*)/i;
