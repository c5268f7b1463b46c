import { z } from 'zod';
import { type AuthRoute, jsonResponse } from '../request/route.ts';
import type { KeyRing } from './key-ring.ts';

/** The dependencies of the route: the part of sessions that publishes keys. */
interface PublishedKeys {
  readonly sessions: { readonly accessTokens: Pick<KeyRing, 'jwks'> };
}

/** RFC 7517 section 4; further members depend on the type of the key. */
const publicKey = z.looseObject({
  kty: z.string(),
  alg: z.enum(['RS256', 'ES256']),
  use: z.literal('sig'),
  kid: z.string(),
});

/** The route of the public keys. */
export const keyRoutes: readonly AuthRoute<PublishedKeys>[] = [
  {
    name: 'getJwks',
    method: 'get',
    path: '/.well-known/jwks.json',
    summary: 'Get the public keys that JWTs are verified with',
    csrf: 'none',
    caller: 'anyone',
    response: jsonResponse('A JSON Web Key Set (RFC 7517).', z.strictObject({ keys: z.array(publicKey) })),
    run: ({ sessions }) => ({ body: sessions.accessTokens.jwks }),
  },
];
