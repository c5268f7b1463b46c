/**
 * Returns the token of an `Authorization: Bearer` header; null where there is none, or anything beside it.
 *
 * @see RFC 6750 section 2.1
 */
export function bearerToken(headers: Headers): string | null {
  const [, token = null] = syntax.exec(headers.get('authorization') ?? '') ?? [];
  return token;
}

const syntax = /^Bearer +([\w.~+/-]+=*)$/i;
