import { renderJson } from '@x/http';
import type { Handler } from 'hono';
import type { AuthContext } from '../auth-context.ts';

/** `GET /.well-known/jwks.json` (RFC 7517 section 5) */
export function getJwksRoute({ keyRing }: AuthContext): Handler {
  return (c) => renderJson(c, keyRing.jwks);
}
