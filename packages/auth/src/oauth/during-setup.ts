import { CodedError } from '@x/errors';
import { OAuthFailure } from './oauth-failure.ts';

/**
 * Runs a step that calls the app's hooks. If they throw, even a `CodedError`, the flow ends with `user_setup_failed`.
 * Errors of an unavailable store are passed on.
 */
export async function wrapHookErrors<T>(step: () => Promise<T> | T): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof CodedError && error.status >= 500) throw error;
    throw new OAuthFailure('user_setup_failed', 'a hook of the app failed', error);
  }
}
