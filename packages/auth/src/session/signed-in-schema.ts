import { z } from 'zod';
import { cookieNames } from './cookies.ts';
import { type AuthResponse, moment } from '../request/route.ts';

/** The cookies that carry a session. */
export const ofSession: readonly string[] = [cookieNames.accessToken, cookieNames.refreshToken];

/** When the JWT of a response expires. */
export const jwtExpiry: z.ZodType = moment.describe('When the JWT expires; refresh before.');

/** Describes the response of any kind of sign-in. */
export function signsIn(
  description: string,
  user: z.ZodType,
  more: Readonly<Record<string, z.ZodType>> = {},
): AuthResponse {
  return {
    status: 200,
    description,
    schema: z.strictObject({ user, expiresAt: jwtExpiry, ...more }),
    cookies: ofSession,
  };
}
