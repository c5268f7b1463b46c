import { readJson } from '@x/http';
import type { Handler } from 'hono';
import { signIn } from '../account/sign-in.ts';
import { renderSignedIn } from './render-signed-in.ts';
import type { RouteParts } from './route-parts.ts';

/** `POST /signin` */
export function signInRoute({ auth, bodyLimit, requestContext }: RouteParts): Handler {
  return async (c) => {
    const input = await readJson(c, bodyLimit);
    return renderSignedIn(c, await signIn(auth, input, requestContext(c)), 200);
  };
}
