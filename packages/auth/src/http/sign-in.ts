import { readJson, renderError } from '@x/http';
import type { Handler } from 'hono';
import { signIn } from '../account/sign-in.ts';
import { mfaRequired } from '../mfa/challenge.ts';
import { renderSignedIn } from './render-signed-in.ts';
import type { RouteParts } from './route-parts.ts';

/** `POST /signin` */
export function signInRoute({ auth, bodyLimit, requestContext }: RouteParts): Handler {
  return async (c) => {
    const input = await readJson(c, bodyLimit);
    const outcome = await signIn(auth, input, requestContext(c));
    if ('challenge' in outcome) return renderError(c, mfaRequired(), { cookies: [outcome.challenge] });
    return renderSignedIn(c, outcome, 200);
  };
}
