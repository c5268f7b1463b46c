import { type SerializeOptions, stringifySetCookie } from 'cookie';
import type { AuthConfig } from '../config/auth-config.ts';
import { cookieNamesOf } from '../cookies/auth-cookies.ts';
import { flowSeconds, isFlowId } from './flow-state.ts';

type CookieConfig = Pick<AuthConfig, 'session'>;

const prefix = 'app.oauth.';

/** Each flow has its own cookie, so that flows in two tabs do not interfere. */
export function flowCookieName(flowId: string): string {
  return prefix + flowId.slice(0, 12);
}

/** Builds the `Set-Cookie` value that stores the state of a flow in the browser. */
export function flowCookie(config: CookieConfig, flowId: string, value: string): string {
  return toSetCookie(config, { name: flowCookieName(flowId), value, maxAge: flowSeconds });
}

/**
 * Builds the `Set-Cookie` values that clear a flow. An answer that names no flow clears every flow of the request,
 * because nothing tells which one it belongs to.
 */
export function clearedFlowCookies(
  config: CookieConfig,
  headers: Headers,
  flowId: string | undefined,
): readonly string[] {
  const names = isFlowId(flowId)
    ? [flowCookieName(flowId)]
    : cookieNamesOf(headers).filter((name) => /^app\.oauth\.[\w-]{12}$/.test(name));
  return names.map((name) => toSetCookie(config, { name, value: '', maxAge: 0 }));
}

/** Always Lax, whatever the session cookies are: the provider redirects from another site. */
function toSetCookie(
  { session: { cookie } }: CookieConfig,
  contents: { readonly name: string; readonly value: string; readonly maxAge: number },
): string {
  const attributes: SerializeOptions = { httpOnly: true, secure: cookie.secure, sameSite: 'lax' };
  return stringifySetCookie({ path: '/api/auth/oauth', ...attributes, ...contents });
}
