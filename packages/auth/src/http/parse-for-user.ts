import { CodedError } from '@x/errors';
import type { Context } from 'hono';
import type { AuthContext } from '../auth-context.ts';
import { requireClaims } from '../session/get-session.ts';

/**
 * Parses the input of a route that requires a session. A caller without one is told that, and not what is wrong with
 * the input.
 *
 * @throws CodedError `UNAUTHENTICATED`; what `parse` throws
 */
export async function parseForUser<T>(auth: AuthContext, c: Context, parse: () => T | Promise<T>): Promise<T> {
  try {
    return await parse();
  } catch (error) {
    if (error instanceof CodedError && shapeCodes.has(error.code)) await requireClaims(auth, c.req.raw.headers);
    throw error;
  }
}

const shapeCodes: ReadonlySet<string> = new Set(['VALIDATION_FAILED', 'INVALID_QUERY']);
