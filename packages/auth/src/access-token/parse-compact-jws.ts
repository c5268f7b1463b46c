import { fromBase64url } from '../keys/base64url.ts';

/** Longer tokens are refused unread. A cookie can't carry more than 4096 bytes. */
const maxLength = 8192;

/** Refuses ill-formed UTF-8, and leaves a byte order mark for `JSON.parse` to refuse. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The parts of a token that has not been verified yet. */
export interface CompactJws {
  readonly header: Readonly<Record<string, unknown>>;
  /** Parses the payload; null if it is not a JSON object. Call it after verifying the signature. */
  readPayload(): Readonly<Record<string, unknown>> | null;
}

/**
 * Parses the compact serialization of RFC 7515 section 7.1; null if the text is not one. Never throws.
 *
 * Stricter than the RFC requires: at most 8 KiB, and only canonical base64url, so that each token has exactly one
 * spelling.
 */
export function parseCompactJws(token: string): CompactJws | null {
  if (token.length > maxLength) return null;
  const [encodedHeader, encodedPayload, encodedSignature, ...rest] = token.split('.');
  if (!encodedHeader || !encodedPayload || !encodedSignature || rest.length > 0) return null;
  const headerBytes = fromBase64url(encodedHeader);
  const payloadBytes = fromBase64url(encodedPayload);
  if (headerBytes === null || payloadBytes === null || fromBase64url(encodedSignature) === null) return null;
  const header = parseObject(headerBytes);
  if (header === null) return null;
  return { header, readPayload: () => parseObject(payloadBytes) };
}

function parseObject(bytes: Uint8Array): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
