import { readNothing, renderJson } from '@x/http';
import type { Handler } from 'hono';
import type { AuthContext } from '../auth-context.ts';
import { signOut } from '../session/sign-out.ts';
import { requestContext } from './request-context.ts';

/** `POST /signout` */
export function signOutRoute(auth: AuthContext, bodyLimit: number): Handler {
  return async (c) => {
    await readNothing(c, bodyLimit);
    const { cookies } = await signOut(auth, requestContext(c));
    return renderJson(c, { ok: true }, { cookies });
  };
}
