import { type ErrorCode, errorTable } from '@x/errors';
import type { Answer } from '../document/document.ts';
import type { HeaderName } from '../document/route.ts';
import { arrayOf, type JsonSchema, type NamedSchemas, objectOf, schemaRef } from '../schema/json-schema.ts';
import { headerRefs } from './headers.ts';

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
      issues: { ...arrayOf(schemaRef('Issue')), description: 'The problems of the input, one by one.' },
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

/** The answer for all other errors. */
export const anyError: Answer = {
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

/** Names the answer for these codes. */
export function toAnswerName(codes: readonly ErrorCode[]): string {
  return codes.join('.');
}

/** Builds the answer for these codes, all of one status. */
export function toErrorAnswer(codes: readonly ErrorCode[]): Answer {
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
