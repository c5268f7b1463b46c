import type { OpenApiDocument } from '@x/openapi';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { RecordedAnswer } from './record-answers.ts';

/** The outcome of comparing answers with a document. */
export interface Comparison {
  /** The differences from the document, a sentence each. */
  readonly complaints: readonly string[];
  /** Which operations answered with which of their statuses: `notes.list 200`. */
  readonly seen: ReadonlySet<string>;
}

/** Compares answers with what a document says of them: path, method, status, headers, body and code. */
export function compareAnswers(document: OpenApiDocument, answers: readonly RecordedAnswer[]): Comparison {
  const validate = createValidator(document);
  const seen = new Set<string>();
  const complaints = new Set<string>();
  for (const answer of answers) {
    const found = findOperation(document, answer);
    if (!found) complaints.add(`${answer.method} ${answer.path}: is not described`);
    else {
      seen.add(`${found.operationId} ${answer.status}`);
      for (const complaint of complaintsAbout(found, answer, validate)) {
        complaints.add(`${found.operationId} ${answer.status}: ${complaint}`);
      }
    }
  }
  return { complaints: [...complaints], seen };
}

type Operation = NonNullable<OpenApiDocument['paths'][string]['get']>;

interface Found {
  readonly operationId: string;
  readonly operation: Operation;
  readonly pointer: string;
}

/** An answer to another method than those of a path is described with each of them. */
function findOperation({ paths }: OpenApiDocument, { method, path, status }: RecordedAnswer): Found | undefined {
  const matching = Object.keys(paths)
    .filter((template) => toPattern(template).test(path))
    // The one with fewer parameters is meant.
    .toSorted((one, other) => one.split('{').length - other.split('{').length);
  const methodsOf = (template: string): readonly string[] => Object.keys(paths[template] ?? {});
  const exact = matching.find((template) => methodsOf(template).includes(method));
  const template = exact ?? (status === 405 ? matching[0] : undefined);
  if (template === undefined) return undefined;
  const known = exact === undefined ? methodsOf(template)[0] : method;
  const operation = paths[template]?.[known as keyof (typeof paths)[string]];
  if (!operation) return undefined;
  return { operationId: operation.operationId, operation, pointer: `/paths/${escape(template)}/${known}` };
}

function toPattern(template: string): RegExp {
  return new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

function escape(segment: string): string {
  return encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'));
}

type Validate = (pointer: string, value: unknown) => string | null;

function createValidator(document: OpenApiDocument): Validate {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'api');
  const compiled = new Map<string, ReturnType<typeof ajv.compile>>();
  return (pointer, value) => {
    const check = compiled.get(pointer) ?? ajv.compile({ $ref: `api#${pointer}` });
    compiled.set(pointer, check);
    return check(value) ? null : `${ajv.errorsText(check.errors)} in ${JSON.stringify(value)}`;
  };
}

function complaintsAbout({ operation, pointer }: Found, answer: RecordedAnswer, validate: Validate): readonly string[] {
  const written = operation.responses[answer.status];
  if (!written) return [`the status is not described: ${answer.text.slice(0, 300)}`];
  const isError = '$ref' in written;
  const place = isError ? written.$ref.slice(1) : `${pointer}/responses/${answer.status}`;
  const types = isError ? ['application/json'] : Object.keys(written.content ?? {});
  return [
    ...missingHeaders(isError ? ['X-Request-Id'] : Object.keys(written.headers), answer.headers),
    ...bodyComplaints({ place, types }, answer, validate),
    ...requestComplaints({ operation, pointer }, answer, validate),
  ];
}

/** Cookies are set as the case may be. */
function missingHeaders(names: readonly string[], headers: Headers): readonly string[] {
  const missing = names.filter((name) => name !== 'Set-Cookie' && !headers.has(name));
  return missing.map((name) => `the header ${name} is missing`);
}

function bodyComplaints(
  { place, types }: { readonly place: string; readonly types: readonly string[] },
  { headers, text }: RecordedAnswer,
  validate: Validate,
): readonly string[] {
  const [type] = types;
  if (type === undefined) return text === '' ? [] : ['there is a body'];
  if (type === '*/*') return [];
  if (!headers.get('content-type')?.startsWith(type)) return [`the body is no ${type}`];
  const complaint =
    type === 'application/json' ? validate(`${place}/content/application~1json/schema`, JSON.parse(text)) : null;
  return complaint === null ? [] : [complaint];
}

/** The document has to allow each input that was accepted. */
function requestComplaints(
  { operation, pointer }: Pick<Found, 'operation' | 'pointer'>,
  { status, sent }: RecordedAnswer,
  validate: Validate,
): readonly string[] {
  if (status >= 300 || sent === undefined) return [];
  if (!operation.requestBody) return sent === '{}' ? [] : ['a body was taken'];
  if (operation.requestBody.content['application/x-ndjson']) return [];
  const complaint = validate(`${pointer}/requestBody/content/application~1json/schema`, JSON.parse(sent));
  return complaint === null ? [] : [`it took ${complaint}`];
}
