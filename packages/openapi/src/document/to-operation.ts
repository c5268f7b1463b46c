import type { ErrorCode } from '@x/errors';
import type { JsonSchema, NamedSchemas } from '../schema/json-schema.ts';
import { sampleOf } from '../schema/sample.ts';
import type { ResponseObject, Content, Operation, Reference } from './document.ts';
import { anyErrorName, byStatus, headerRefs, toErrorName } from './responses.ts';
import { proofParameters, type Route, type RouteResponse } from './route.ts';

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
      requestBody: {
        required: body.isRequired,
        content: toContent({ [body.mediaType ?? 'application/json']: body.schema }, schemas),
      },
    }),
    responses: {
      ...Object.fromEntries(route.responses.map((each) => [String(each.status), toResponse(each, schemas)])),
      ...Object.fromEntries(
        [...errorsByStatus(route)].map(([status, codes]) => [String(status), toReference(toErrorName(codes))]),
      ),
      default: toReference(anyErrorName),
    },
  };
}

/** Returns all errors of a route, by status, including those of every route. */
export function errorsByStatus({ errors }: Route): ReadonlyMap<number, readonly ErrorCode[]> {
  return byStatus([...errors, 'METHOD_NOT_ALLOWED', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE']);
}

function toReference(response: string): Reference {
  return { $ref: `#/components/responses/${response}` };
}

function toResponse(
  { description, content, headers = [], cookies }: RouteResponse,
  schemas: NamedSchemas,
): ResponseObject {
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
