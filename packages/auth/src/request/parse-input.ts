import { CodedError, type Issue } from '@x/errors';
import type { z } from 'zod';

/**
 * Parses what a caller sent.
 *
 * @throws CodedError `VALIDATION_FAILED` with one issue per problem; no issue repeats the input
 */
export async function parseInput<Output>(schema: z.ZodType<Output>, input: unknown): Promise<Output> {
  const parsed = await schema.safeParseAsync(input, { reportInput: false });
  if (parsed.success) return parsed.data;
  throw validationFailed(parsed.error.issues.flatMap(toIssues));
}

/** Builds the error for an input with these problems. */
export function validationFailed(issues: readonly Issue[]): CodedError {
  return new CodedError('VALIDATION_FAILED', 'The input is not valid.', { issues });
}

function toIssues(issue: z.core.$ZodIssue): Issue[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  if (issue.code !== 'unrecognized_keys') return [{ path, code: codeOf(issue), message: issue.message }];
  return issue.keys.map((key) => ({ path: [...path, key], code: issue.code, message: 'Unknown field.' }));
}

function codeOf(issue: z.core.$ZodIssue): string {
  return issue.code === 'custom' && typeof issue.params?.['code'] === 'string' ? issue.params['code'] : issue.code;
}
