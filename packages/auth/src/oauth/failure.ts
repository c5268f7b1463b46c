import { CodedError } from '@x/errors';
import { isRefusal } from '../user/hooks.ts';

/** Why a sign-in with a provider failed, as the error page learns it. */
type OAuthErrorCode =
  | 'invalid_state'
  | 'provider_denied'
  | 'provider_error'
  | 'email_required'
  | 'account_already_linked'
  | 'sign_in_refused'
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

/** Represents a sign-in that the app refuses, with the reason that it gives. */
export class SignInRefused extends OAuthFailure {
  readonly reason: string | undefined;

  constructor(refusal: CodedError) {
    super('sign_in_refused', 'a hook of the app refused it');
    this.reason = refusal.extras.reason;
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
    throw toSetupFailure(error);
  }
}

/** Runs a step that asks the app whether a user may come in. Other errors end as in {@link wrapHookErrors}. */
export async function wrapRefusal(step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    throw isRefusal(error) ? new SignInRefused(error) : toSetupFailure(error);
  }
}

function toSetupFailure(error: unknown): unknown {
  if (error instanceof CodedError && error.status >= 500) return error;
  return new OAuthFailure('user_setup_failed', 'a hook of the app failed', error);
}
