import { z } from 'zod';
import type { OwnSession } from '../session/list-sessions.ts';
import { done, moment, ofSession, shown, signedIn, type Wire } from './answers.ts';
import type { AuthRoute } from './auth-route.ts';

/** One of a user's active sessions. */
export const ownSession: z.ZodType<Wire<OwnSession>> = z.strictObject({
  id: z.string(),
  deviceName: z.string().meta({ examples: ['Firefox on Windows'] }),
  ipAddress: z.string().nullable(),
  isCurrent: z.boolean(),
  createdAt: moment,
  lastActiveAt: moment,
  expiresAt: moment,
});

/** RFC 7517 section 4; further members depend on the type of the key. */
const publicKey = z.looseObject({
  kty: z.string(),
  alg: z.enum(['RS256', 'ES256']),
  use: z.literal('sig'),
  kid: z.string(),
});

/** Describes the routes of sessions. */
export function sessionRoutes(user: z.ZodType): readonly AuthRoute[] {
  const current = z.strictObject({
    id: z.string(),
    user,
    expiresAt: moment.describe('When the JWT expires; refresh before.'),
    claims: z.record(z.string(), z.unknown()),
  });
  return [
    {
      name: 'signOut',
      method: 'post',
      path: '/signout',
      summary: 'Sign out',
      description: 'Works with an expired JWT, too, by the refresh token. Signing out twice is not an error.',
      proof: 'page-or-bearer',
      caller: 'visitor',
      response: done('Signed out.', ofSession),
    },
    {
      name: 'getSession',
      method: 'get',
      path: '/session',
      summary: 'Get the current session',
      proof: 'none',
      caller: 'visitor',
      response: shown('The session, or null if nobody is signed in.', z.strictObject({ session: current.nullable() })),
    },
    {
      name: 'refreshSession',
      method: 'post',
      path: '/refresh',
      summary: 'Get a new JWT for the refresh token',
      proof: 'page-or-bearer',
      caller: 'refresh-token',
      response: { status: 200, description: 'Refreshed.', schema: signedIn(user), cookies: ofSession },
      errors: ['SESSION_EXPIRED', 'RATE_LIMITED'],
    },
    {
      name: 'listSessions',
      method: 'get',
      path: '/sessions',
      summary: 'List your sessions, the most recently active first',
      proof: 'none',
      caller: 'user',
      response: shown('The active sessions.', z.strictObject({ sessions: z.array(ownSession) })),
    },
    {
      name: 'revokeSession',
      method: 'delete',
      path: '/sessions/:id',
      summary: 'End one of your sessions',
      proof: 'page-or-bearer',
      caller: 'user',
      parameters: { id: z.string() },
      response: done('The session has ended.'),
      errors: ['SESSION_NOT_FOUND'],
    },
    {
      name: 'revokeOtherSessions',
      method: 'delete',
      path: '/sessions',
      summary: 'End all your sessions but the current one',
      proof: 'page-or-bearer',
      caller: 'user',
      response: shown('They have ended.', z.strictObject({ ok: z.literal(true), revoked: z.int().min(0) })),
    },
    {
      name: 'getJwks',
      method: 'get',
      path: '/.well-known/jwks.json',
      summary: 'Get the public keys that JWTs are verified with',
      proof: 'none',
      caller: 'anyone',
      response: shown('A JSON Web Key Set (RFC 7517).', z.strictObject({ keys: z.array(publicKey) })),
    },
  ];
}
