/**
 * Returns the token of an `Authorization: Bearer` header; null if there is none, or if the header contains anything
 * else.
 *
 * @see RFC 6750 section 2.1
 */
export function bearerToken(headers: Headers): string | null {
  const [, token = null] = syntax.exec(headers.get('authorization') ?? '') ?? [];
  return token;
}

const syntax = /^Bearer +([\w.~+/-]+=*)$/i;
