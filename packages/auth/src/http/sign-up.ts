import { readJson } from '@x/http';
import type { Handler } from 'hono';
import { signUp } from '../account/sign-up.ts';
import type { AuthContext } from '../auth-context.ts';
import { renderSignedIn } from './render-signed-in.ts';
import { requestContext } from './request-context.ts';

/** `POST /signup` */
export function signUpRoute(auth: AuthContext, bodyLimit: number): Handler {
  return async (c) => {
    const input = await readJson(c, bodyLimit);
    return renderSignedIn(c, await signUp(auth, input, requestContext(c)), 201);
  };
}
