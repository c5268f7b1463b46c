import { asyncSchemaMessage, findInputProblem, type Issue, validationFailed } from '@x/errors';
import { z } from 'zod';

/**
 * Parses a caller's input.
 *
 * @throws CodedError `VALIDATION_FAILED` with one issue per problem, none of which repeats the input; TypeError if the
 * schema of a field has to be awaited
 */
export function parseInput<Output>(schema: z.ZodType<Output>, input: unknown): Output {
  const parsed = parseNow(schema, input);
  if (parsed.success) return parsed.data;
  throw validationFailed(parsed.error.issues.flatMap(toIssues));
}

function parseNow<Output>(schema: z.ZodType<Output>, input: unknown): z.ZodSafeParseResult<Output> {
  try {
    return schema.safeParse(input, { reportInput: false });
  } catch (cause) {
    throw cause instanceof z.core.$ZodAsyncError ? new TypeError(asyncSchemaMessage, { cause }) : cause;
  }
}

function toIssues(issue: z.core.$ZodIssue): Issue[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  if (issue.code !== 'unrecognized_keys') return [{ path, code: codeOf(issue), message: issue.message }];
  return issue.keys.map((key) => ({ path: [...path, key], code: issue.code, message: 'Unknown field.' }));
}

function codeOf(issue: z.core.$ZodIssue): string {
  return issue.code === 'custom' && typeof issue.params?.['code'] === 'string' ? issue.params['code'] : issue.code;
}

/**
 * Converts an input to plain arrays and objects, without members that are undefined. Values that JSON does not have are
 * kept as they are.
 *
 * Routes read their JSON this way; callers of `auth.api` may pass anything.
 *
 * @throws CodedError `VALIDATION_FAILED` if a key could reach a prototype, or if the input nests deeper than 32 levels,
 * or contains itself
 */
export function toPlainInput(value: unknown): unknown {
  const problem = findInputProblem(value);
  if (problem) throw validationFailed([problem]);
  return withoutUndefined(value);
}

function withoutUndefined(value: unknown): unknown {
  if (!isArrayOrObject(value)) return value;
  if (Array.isArray(value)) return value.map(withoutUndefined);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutUndefined(member)]));
}

function isArrayOrObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
