/** Why a sign-in with a provider failed, as the error page is told. */
export type OAuthErrorCode =
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
