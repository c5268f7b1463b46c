import { CodedError } from '@x/errors';
import { OAuthFailure } from './oauth-failure.ts';

/**
 * Runs a step that calls the app's hooks; what they throw, a `CodedError` too, ends the flow with `user_setup_failed`. A
 * store that can't serve stays what it is.
 */
export async function duringSetup<T>(step: () => Promise<T> | T): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof CodedError && error.status >= 500) throw error;
    throw new OAuthFailure('user_setup_failed', 'a hook of the app failed', error);
  }
}
