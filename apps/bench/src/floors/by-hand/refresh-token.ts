import { createHmac, hash, type KeyObject } from 'node:crypto';

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
