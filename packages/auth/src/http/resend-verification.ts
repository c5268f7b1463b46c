import { readNothing } from '@x/http';
import type { Handler } from 'hono';
import { resendVerification } from '../email-verification/resend-verification.ts';
import { renderOk } from './render-ok.ts';
import { parseForUser } from './parse-for-user.ts';
import type { RouteParts } from './route-parts.ts';

/** `POST /resend-verification` */
export function resendVerificationRoute({ auth, bodyLimit, requestContext }: RouteParts): Handler {
  return async (c) => {
    await parseForUser(auth, c, () => readNothing(c, bodyLimit));
    await resendVerification(auth, requestContext(c));
    return renderOk(c);
  };
}
