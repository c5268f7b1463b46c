import type { Header, Reference } from '../document/document.ts';
import type { HeaderName } from '../document/route.ts';

/** The headers that responses may have. */
export const answerHeaders: Readonly<Record<HeaderName, Header>> = {
  'X-Request-Id': {
    description: 'The id of the request in the log. A well-formed id sent by the caller is kept.',
    schema: { type: 'string', examples: ['1f0c9a2b7e55-1'] },
  },
  ETag: {
    description: 'The version of the content, for `If-Match` and `If-None-Match`.',
    schema: { type: 'string', examples: ['"1"'] },
  },
  Location: { description: 'The URL to go to, or of the created record.', schema: { type: 'string' } },
  'Retry-After': {
    description: 'Seconds until another attempt can succeed.',
    schema: { type: 'string', pattern: '^\\d+$', examples: ['60'] },
  },
  Allow: {
    description: 'The methods that the path supports.',
    schema: { type: 'string', examples: ['GET, POST'] },
  },
  'Set-Cookie': { description: 'Cookies that are set or cleared.', schema: { type: 'string' } },
  'Cache-Control': { description: 'Who may cache the answer.', schema: { type: 'string' } },
};

/** Refers to headers by name; every response has a request id. */
export function headerRefs(
  names: readonly HeaderName[],
  cookies: readonly string[] = [],
): Readonly<Record<string, Reference>> {
  const all: readonly HeaderName[] = [
    'X-Request-Id',
    ...names,
    ...(cookies.length > 0 ? (['Set-Cookie'] as const) : []),
  ];
  return Object.fromEntries(all.map((name) => [name, headerRef(name, cookies)]));
}

function headerRef(name: HeaderName, cookies: readonly string[]): Reference {
  const $ref = `#/components/headers/${name}`;
  if (name !== 'Set-Cookie' || cookies.length === 0) return { $ref };
  return { $ref, description: `Sets or clears: ${cookies.map((cookie) => `\`${cookie}\``).join(', ')}.` };
}
