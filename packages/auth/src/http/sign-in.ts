import { readJson } from '@x/http';
import type { Handler } from 'hono';
import { signIn } from '../account/sign-in.ts';
import type { AuthContext } from '../auth-context.ts';
import { renderSignedIn } from './render-signed-in.ts';
import { requestContext } from './request-context.ts';

/** `POST /signin` */
export function signInRoute(auth: AuthContext, bodyLimit: number): Handler {
  return async (c) => {
    const input = await readJson(c, bodyLimit);
    return renderSignedIn(c, await signIn(auth, input, requestContext(c)), 200);
  };
}
