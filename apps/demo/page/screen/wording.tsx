import type { AccessCheck, AccessMeta, DenialReason } from '@x/access/access-set';
import type { ClientError } from '@x/client';
import type { ReactElement } from 'react';

/** Words an error of the client for people; `retryAfter` becomes how long to wait. */
export function toErrorText(error: ClientError): string {
  if (error.retryAfter !== undefined)
    return `${errorTexts[error.code] ?? 'Not now.'} Try again in ${toWait(error.retryAfter)}.`;
  // For this one, the server says what helps.
  if (error.meta?.['locked']) return error.message;
  return errorTexts[error.code] ?? error.message;
}

const errorTexts: Readonly<Partial<Record<ClientError['code'], string>>> = {
  USER_EXISTS: 'An account with this address already exists. Sign in instead.',
  TOKEN_INVALID: 'This link is incomplete, or was used before.',
  TOKEN_EXPIRED: 'This link has expired.',
  MFA_INVALID_CODE: 'This code is wrong, or was used before.',
  MFA_NOT_ENABLED: 'This needs a second factor. Set one up in your account.',
  SESSION_EXPIRED: 'This sign-in cannot do that any more. Sign in again.',
  STEP_UP_REQUIRED: 'Nothing is done until you confirm that it is you.',
  LAST_SIGN_IN_METHOD: 'This is your only way to sign in. Set a password first.',
  RATE_LIMITED: 'Too many attempts.',
  SERVICE_UNAVAILABLE: 'The server is busy.',
  NETWORK_FAILED: 'The server cannot be reached. Check your connection.',
  INVALID_RESPONSE: 'The response did not come from Tracker.',
  VALIDATION_FAILED: 'Please check the form.',
};

function toWait(seconds: number): string {
  if (seconds < 90) return `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;
  return `${Math.ceil(seconds / 60)} minutes`;
}

/** Words why something is not allowed, and what would allow it; empty if it is allowed. */
export function toDenialText({ reason, meta = {} }: AccessCheck): string {
  return reason ? denialTexts[reason](meta) : '';
}

const denialTexts: Readonly<Record<DenialReason, (meta: AccessMeta) => string>> = {
  plan_required: ({ requiredPlans }) => `Needs ${requiredPlans?.[0] ?? 'another plan'}.`,
  role_required: toRoleText,
  limit_reached: ({ limit }) => (limit ? toLimitText(limit) : 'The limit is reached.'),
  flag_disabled: () => 'Is switched off.',
  hierarchy_denied: toRoleText,
  step_up_required: () => 'Needs a recent code of your second factor.',
  not_authenticated: () => 'Sign in first.',
};

function toLimitText({ key, max, consumed, resetsAt }: NonNullable<AccessMeta['limit']>): string {
  const until = resetsAt === null ? '' : ` until ${formatDay(resetsAt)}`;
  return `${consumed} of ${max} ${key} are used${until}.`;
}

function toRoleText({ requiredRoles }: AccessMeta): string {
  return requiredRoles ? `Needs the role ${requiredRoles.join(' or ')}.` : 'Your role does not allow this.';
}

/** A moment, in the format of the browser's language. */
export function Moment(props: { readonly at: string }): ReactElement {
  return (
    <time dateTime={props.at} className="hint">
      {moment.format(new Date(props.at))}
    </time>
  );
}

/** Formats the day of a moment, without the year. */
export function formatDay(at: string): string {
  return day.format(new Date(at));
}

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
