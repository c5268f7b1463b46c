import { CodedError } from '@x/errors';
import { readJson, renderError, renderJson } from '@x/http';
import type { Handler } from 'hono';
import { completeChallenge } from '../mfa/complete-challenge.ts';
import { clearedChallengeCookie } from '../mfa/challenge.ts';
import type { RouteParts } from './route-parts.ts';

/** `POST /mfa/challenge`; also clears the cookie of a challenge that has ended. */
export function answerChallengeRoute({ auth, bodyLimit, requestContext }: RouteParts): Handler {
  return async (c) => {
    const input = await readJson(c, bodyLimit);
    try {
      const { cookies, ...answered } = await completeChallenge(auth, input, requestContext(c));
      return renderJson(c, answered, { cookies });
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'SESSION_EXPIRED') throw error;
      return renderError(c, error, { cookies: [clearedChallengeCookie(auth)] });
    }
  };
}
