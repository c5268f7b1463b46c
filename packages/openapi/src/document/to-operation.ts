import type { ErrorCode } from '@x/errors';
import { anyErrorName, byStatus, toAnswerName } from '../answer/error-answers.ts';
import { headerRefs } from '../answer/headers.ts';
import type { JsonSchema, NamedSchemas } from '../schema/json-schema.ts';
import { sampleOf } from '../schema/sample.ts';
import type { Answer, Content, Operation, Reference } from './document.ts';
import type { Route, RouteAnswer } from './route.ts';
import { proofParameters } from './security.ts';

/** Converts a route to an operation, for a document with these schemas. */
export function toOperation(route: Route, schemas: NamedSchemas): Operation {
  const { operationId, tag, summary, description, security, body } = route;
  const parameters = [...(route.parameters ?? []), ...proofParameters(security)];
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security,
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: { required: body.isRequired, content: toContent({ 'application/json': body.schema }, schemas) },
    }),
    responses: {
      ...Object.fromEntries(route.answers.map((answer) => [String(answer.status), toAnswer(answer, schemas)])),
      ...Object.fromEntries(
        [...errorsOf(route)].map(([status, codes]) => [String(status), toReference(toAnswerName(codes))]),
      ),
      default: toReference(anyErrorName),
    },
  };
}

/** Returns all errors of a route, by status, including those of every route. */
export function errorsOf({ errors }: Route): ReadonlyMap<number, readonly ErrorCode[]> {
  return byStatus([...errors, 'METHOD_NOT_ALLOWED', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE']);
}

function toReference(answer: string): Reference {
  return { $ref: `#/components/responses/${answer}` };
}

function toAnswer({ description, content, headers = [], cookies }: RouteAnswer, schemas: NamedSchemas): Answer {
  return {
    description,
    headers: headerRefs(headers, cookies),
    ...(content && { content: toContent(content, schemas) }),
  };
}

function toContent(bodies: Readonly<Record<string, JsonSchema | null>>, schemas: NamedSchemas): Content {
  return Object.fromEntries(Object.entries(bodies).map(([type, schema]) => [type, toBody(schema, schemas)]));
}

function toBody(schema: JsonSchema | null, schemas: NamedSchemas): Content[string] {
  if (schema === null) return {};
  const example = sampleOf(schema, schemas);
  return { schema, ...(example !== undefined && { example }) };
}
