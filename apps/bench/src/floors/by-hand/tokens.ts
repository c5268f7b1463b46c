import { createHmac, hash, type KeyObject, randomUUID } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import type { SessionRow, UserRow } from './database.ts';
import { type Settings, ttlSeconds } from './settings.ts';

/** Signs a JWT with the claims of the project's. */
export function signAccessToken(
  { algorithm, privateKey, publicKey }: Pick<Settings, 'algorithm' | 'privateKey' | 'publicKey'>,
  row: UserRow & Pick<SessionRow, 'id' | 'ver'>,
  now: number,
): Promise<string> {
  const iat = Math.floor(now / 1000);
  const claims = {
    iss: 'tracker',
    aud: 'tracker',
    sub: row.user_id,
    sid: row.id,
    jti: randomUUID(),
    iat,
    exp: iat + ttlSeconds.accessToken,
    email: row.email,
    emailVerified: Boolean(row.email_verified),
    role: row.role,
    tenantId: row.tenant_id,
    ver: row.ver,
    user: {
      createdAt: new Date(row.user_created_at).toISOString(),
      updatedAt: new Date(row.user_updated_at).toISOString(),
    },
  };
  return new SignJWT(claims).setProtectedHeader({ alg: algorithm, kid: kidOf(publicKey), typ: 'JWT' }).sign(privateKey);
}

/** Whom a token is of. */
export interface Caller {
  readonly sub: string;
  readonly sid: string;
  readonly exp: number;
}

const verified = new Map<string, Caller>();
const maxVerified = 10_000;

/** Verifies a JWT, each only once; null where it is not good now. */
export async function verifyAccessToken(
  { algorithm, publicKey }: Pick<Settings, 'algorithm' | 'publicKey'>,
  token: string,
): Promise<Caller | null> {
  let caller = verified.get(token);
  if (caller === undefined) {
    const options = { issuer: 'tracker', audience: 'tracker', algorithms: [algorithm] };
    caller = (await jwtVerify<Caller>(token, publicKey, options)).payload;
    if (verified.size >= maxVerified) verified.clear();
    verified.set(token, caller);
  }
  return Date.now() < caller.exp * 1000 ? caller : null;
}

const kids = new WeakMap<KeyObject, string>();

function kidOf(key: KeyObject): string {
  const known = kids.get(key);
  if (known !== undefined) return known;
  const kid = hash('sha256', key.export({ type: 'spki', format: 'der' }), 'base64url');
  kids.set(key, kid);
  return kid;
}

/** Derives base64url(session id ‖ generation ‖ HMAC-SHA-256), as the project does. */
export function deriveRefreshToken(
  key: KeyObject,
  { sessionId, generation, salt }: { readonly sessionId: string; readonly generation: number; readonly salt: string },
): string {
  const head = Buffer.alloc(20);
  head.write(sessionId.replaceAll('-', ''), 'hex');
  head.writeUInt32BE(generation, 16);
  const mac = createHmac('sha256', key).update(head).update(salt, 'base64url').digest();
  return Buffer.concat([head, mac]).toString('base64url');
}

/** Reads which session a token is of. */
export function sessionIdOf(token: string): string {
  const hex = Buffer.from(token, 'base64url').toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Returns what is stored of a token. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url');
}
