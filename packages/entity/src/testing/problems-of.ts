import { ConfigurationError } from '@x/errors';

/** Returns what is wrong with what a definition declares; nothing where it is fine. */
export function problemsOf(define: () => unknown): readonly string[] {
  try {
    define();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}
