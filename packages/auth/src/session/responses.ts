import { z } from 'zod';
import { type AuthResponse, timestamp } from '../request/route.ts';
import { cookieNames } from './cookies.ts';

/** The cookies that carry a session. */
export const sessionCookieNames: readonly string[] = [cookieNames.accessToken, cookieNames.refreshToken];

/** When the JWT of a response expires. */
export const jwtExpiry: z.ZodType = timestamp.describe('When the JWT expires; refresh before.');

/** Describes the response of any kind of sign-in. */
export function signInResponse(
  description: string,
  user: z.ZodType,
  more: Readonly<Record<string, z.ZodType>> = {},
): AuthResponse {
  return {
    status: 200,
    description,
    schema: z.strictObject({ user, expiresAt: jwtExpiry, ...more }),
    cookies: sessionCookieNames,
  };
}
