import { readJson } from '@x/http';
import type { Handler } from 'hono';
import { signUp } from '../account/sign-up.ts';
import { renderSignedIn } from './render-signed-in.ts';
import type { RouteParts } from './route-parts.ts';

/** `POST /signup` */
export function signUpRoute({ auth, bodyLimit, requestContext }: RouteParts): Handler {
  return async (c) => {
    const input = await readJson(c, bodyLimit);
    return renderSignedIn(c, await signUp(auth, input, requestContext(c)), 201);
  };
}
