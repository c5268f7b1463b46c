import { readNothing } from '@x/http';
import type { Handler } from 'hono';
import { signOut } from '../session/sign-out.ts';
import { renderOk } from './render-ok.ts';
import type { RouteParts } from './route-parts.ts';

/** `POST /signout` */
export function signOutRoute({ auth, bodyLimit, requestContext }: RouteParts): Handler {
  return async (c) => {
    await readNothing(c, bodyLimit);
    const { cookies } = await signOut(auth, requestContext(c));
    return renderOk(c, cookies);
  };
}
