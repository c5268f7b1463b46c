import type { ClientError } from '@x/client';

/** Says in the words of the page why something did not work. */
export function toErrorText(error: ClientError): string {
  if (error.retryAfter !== undefined)
    return `${texts[error.code] ?? 'Not now.'} Try again in ${toWait(error.retryAfter)}.`;
  return texts[error.code] ?? error.message;
}

const texts: Readonly<Partial<Record<ClientError['code'], string>>> = {
  INVALID_CREDENTIALS: 'The e-mail address or the password is not right.',
  USER_EXISTS: 'There is an account with this address. Sign in instead.',
  TOKEN_INVALID: 'This link is not complete, or it was used before.',
  TOKEN_EXPIRED: 'This link is too old.',
  MFA_INVALID_CODE: 'This code is not right, or was used before.',
  MFA_NOT_ENABLED: 'This needs a second factor. Set one up in your account.',
  SESSION_EXPIRED: 'That took too long, or too many tries. Sign in again.',
  STEP_UP_REQUIRED: 'This needs your second factor once more.',
  LAST_SIGN_IN_METHOD: 'Nothing else would sign you in. Set a password first.',
  RATE_LIMITED: 'Too many tries.',
  SERVICE_UNAVAILABLE: 'The server is busy.',
  NETWORK_FAILED: 'The server does not answer. Check the connection.',
  INVALID_ANSWER: 'What answered is not Tracker.',
  VALIDATION_FAILED: 'Something in the form is not right.',
};

function toWait(seconds: number): string {
  if (seconds < 90) return `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;
  return `${Math.ceil(seconds / 60)} minutes`;
}
