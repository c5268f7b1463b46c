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

/**
 * Reads one cookie of a request. Null if it is absent; empty if the request has two different values of it: a sibling
 * subdomain may have planted one, and nothing tells which.
 */
export function readCookie(headers: Headers, name: string): string | null {
  const [first = null, ...others] = cookieValues(headers, name);
  return others.some((value) => value !== first) ? '' : first;
}

/**
 * Reads a cookie that is expired on other paths when it is set; null if it is absent or ambiguous. Clients that ignore
 * paths also send the expired cookies, which are empty.
 */
export function readScopedCookie(headers: Headers, name: string): string | null {
  const [first = null, ...others] = cookieValues(headers, name).filter((value) => value !== '');
  return others.some((value) => value !== first) ? null : first;
}

function cookieValues(headers: Headers, name: string): readonly string[] {
  const values: string[] = [];
  for (const pair of headers.get('cookie')?.split(';') ?? []) {
    const [own = '', ...rest] = pair.split('=');
    if (trimBlanks(own) === name) values.push(trimBlanks(rest.join('=')));
  }
  return values;
}

/** Returns the names of all cookies of a request, without duplicates. */
export function cookieNamesOf(headers: Headers): readonly string[] {
  const pairs = headers.get('cookie')?.split(';') ?? [];
  return [...new Set(pairs.map((pair) => trimBlanks(pair.split('=', 1)[0] ?? '')))];
}

/** Returns the headers of a request as its browser sends them once it has taken some `Set-Cookie` values. */
export function withSetCookies(headers: Headers, setCookie: readonly string[]): Headers {
  const taken = setCookie.map((cookie) => cookie.split(';', 1)[0] ?? '');
  const names = taken.map((pair) => pair.split('=', 1)[0]);
  const kept = (headers.get('cookie') ?? '')
    .split(';')
    .map(trimBlanks)
    .filter((pair) => pair !== '' && !names.includes(trimBlanks(pair.split('=', 1)[0] ?? '')));
  const pairs = [...kept, ...taken.filter((pair) => !/^[^=]*=$/.test(pair))];
  const sent = new Headers(headers);
  if (pairs.length === 0) sent.delete('cookie');
  else sent.set('cookie', pairs.join('; '));
  return sent;
}

/**
 * Trims spaces and tabs only. `trim` would also remove U+00A0 and the like, and so mistake a cookie of another name,
 * which a sibling subdomain may have set, for ours.
 *
 * @see RFC 6265 section 5.2
 */
function trimBlanks(text: string): string {
  let [start, end] = [0, text.length];
  while (isBlank(text[start])) start += 1;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}
