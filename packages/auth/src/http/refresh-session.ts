import { CodedError } from '@x/errors';
import { readNothing, renderError } from '@x/http';
import type { Handler } from 'hono';
import { clearedSessionCookies } from '../cookies/auth-cookies.ts';
import { refreshSession } from '../session/refresh-session.ts';
import { renderSignedIn } from './render-signed-in.ts';
import type { RouteParts } from './route-parts.ts';

/** `POST /refresh`; clears the cookies only if the session has ended. */
export function refreshSessionRoute({ auth, bodyLimit, requestContext }: RouteParts): Handler {
  return async (c) => {
    await readNothing(c, bodyLimit);
    try {
      return renderSignedIn(c, await refreshSession(auth, requestContext(c)), 200);
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'SESSION_EXPIRED') throw error;
      return renderError(c, error, { cookies: clearedSessionCookies(auth.config) });
    }
  };
}
