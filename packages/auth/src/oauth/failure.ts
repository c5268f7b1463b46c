import { CodedError } from '@x/errors';

/** Why a sign-in with a provider failed, as the error page learns it. */
type OAuthErrorCode =
  | 'invalid_state'
  | 'provider_denied'
  | 'provider_error'
  | 'email_required'
  | 'account_already_linked'
  | 'user_setup_failed';

/** Represents a flow that ends on the error page. The message is for the log and contains no secret. */
export class OAuthFailure extends Error {
  override readonly name: string = 'OAuthFailure';
  readonly code: OAuthErrorCode;

  constructor(code: OAuthErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** Represents a sign-in of a disabled user; reported like one that the provider refused. */
export class DisabledUser extends OAuthFailure {
  constructor() {
    super('provider_denied', 'the user is disabled');
  }
}

/** Thrown if a sign-in was planned for an account that has changed since, to roll its transaction back. */
export class OutdatedPlan extends Error {
  override readonly name = 'OutdatedPlan';
}

/**
 * Runs a step that calls the app's hooks. If they throw, even a `CodedError`, the flow ends with `user_setup_failed`.
 * Errors of an unavailable store are passed on.
 */
export async function wrapHookErrors<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof CodedError && error.status >= 500) throw error;
    throw new OAuthFailure('user_setup_failed', 'a hook of the app failed', error);
  }
}
