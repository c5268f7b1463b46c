import { readJson } from '@x/http';
import type { Handler } from 'hono';
import { signUp } from '../account/sign-up.ts';
import { renderOk } from './render-ok.ts';
import { renderSignedIn } from './render-signed-in.ts';
import type { RouteParts } from './route-parts.ts';

/** `POST /signup` */
export function signUpRoute({ auth, bodyLimit, requestContext }: RouteParts): Handler {
  return async (c) => {
    const input = await readJson(c, bodyLimit);
    const signedIn = await signUp(auth, input, requestContext(c));
    return signedIn === null ? renderOk(c) : renderSignedIn(c, signedIn, 201);
  };
}
