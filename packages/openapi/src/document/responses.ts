import { type ErrorCode, errorTable } from '@x/errors';
import { arrayOf, type JsonSchema, type NamedSchemas, objectOf, schemaRef } from '../schema/json-schema.ts';
import type { Header, Reference, ResponseObject } from './document.ts';
import type { HeaderName } from './route.ts';

const reason: JsonSchema = { type: 'string', examples: ['role_required'] };

/** The schemas of the one error shape. */
export const errorSchemas: NamedSchemas = {
  Issue: objectOf({
    path: {
      ...arrayOf({ type: ['string', 'integer'] }),
      description: 'The path to the value: names and indexes from the outside in.',
      examples: [['email']],
    },
    code: { type: 'string', examples: ['invalid_format'] },
    message: { type: 'string', examples: ['Invalid e-mail address'] },
  }),
  ErrorBody: objectOf(
    {
      code: {
        type: 'string',
        enum: Object.keys(errorTable),
        description: 'For programs: messages may change, codes do not.',
      },
      message: { type: 'string', description: 'A sentence for a person; it may change.' },
      issues: {
        ...arrayOf(schemaRef('Issue')),
        description: 'What is wrong with the input, one by one: also the fields whose values another record has.',
      },
      reason: { ...reason, description: 'The reason for a denial that the caller can act on first.' },
      reasons: { ...arrayOf(reason), description: 'All reasons for a denial.' },
      meta: { type: 'object', additionalProperties: true, description: 'More about the reasons.' },
      retryAfter: { type: 'number', description: 'Seconds until another attempt can succeed.' },
    },
    ['code', 'message'],
  ),
};

/** The name of {@link anyError}. */
export const anyErrorName = 'AnyError';

/** The response for all other errors. */
export const anyError: ResponseObject = {
  description: 'Any other error.',
  headers: headerRefs([]),
  content: { 'application/json': { schema: objectOf({ error: schemaRef('ErrorBody') }) } },
};

/** Groups codes by status. */
export function byStatus(codes: Iterable<ErrorCode>): ReadonlyMap<number, readonly ErrorCode[]> {
  const sorted = [...new Set(codes)].toSorted((one, other) => order.indexOf(one) - order.indexOf(other));
  return Map.groupBy(sorted, (code) => errorTable[code].status);
}

const order = Object.keys(errorTable);

/** Names the response for these codes. */
export function toErrorName(codes: readonly ErrorCode[]): string {
  return codes.join('.');
}

/** Builds the response for these codes, all of one status. */
export function toErrorResponse(codes: readonly ErrorCode[]): ResponseObject {
  const headers = [...new Set(codes.flatMap((code) => headersOfCode[code] ?? []))];
  const narrowed = { type: 'object', properties: { code: { type: 'string', enum: codes } }, required: ['code'] };
  const schema = objectOf({ error: { allOf: [schemaRef('ErrorBody')], ...narrowed } });
  const examples = codes.map(
    (code) => [code, { value: { error: { code, message: errorTable[code].meaning } } }] as const,
  );
  return {
    description: codes.map((code) => `\`${code}\`: ${errorTable[code].meaning}`).join('\n\n'),
    headers: headerRefs(headers),
    content: { 'application/json': { schema, examples: Object.fromEntries(examples) } },
  };
}

const headersOfCode: Readonly<Partial<Record<ErrorCode, readonly HeaderName[]>>> = {
  RATE_LIMITED: ['Retry-After'],
  SERVICE_UNAVAILABLE: ['Retry-After'],
  METHOD_NOT_ALLOWED: ['Allow'],
  MFA_REQUIRED: ['Set-Cookie'],
  SESSION_EXPIRED: ['Set-Cookie'],
};

/** The headers that responses may have. */
export const responseHeaders: Readonly<Record<HeaderName, Header>> = {
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
  'Cache-Control': { description: 'Who may cache the response.', schema: { type: 'string' } },
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
