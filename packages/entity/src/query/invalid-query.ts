import { CodedError } from '@x/errors';

/** How much of a name from a caller is echoed back. */
const maxEcho = 64;

/** Builds the error for an invalid query; `place` leads to the problem, from the outside in. */
export function invalidQuery(place: readonly (string | number)[], message: string): CodedError {
  const path = place.map((step) => (typeof step === 'string' ? step.slice(0, maxEcho) : step));
  return new CodedError('INVALID_QUERY', 'The query is not valid.', {
    issues: [{ path, code: 'invalid_query', message }],
  });
}
