import { ConfigurationError } from '@x/errors';

/** Returns the problems of a definition; empty if it is valid. */
export function problemsOf(define: () => unknown): readonly string[] {
  try {
    define();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}
