import type { AuthConfig } from '../config/auth-config.ts';

/** How many attempts per key a window allows, and how long it lasts. */
interface Limit {
  readonly maxAttempts: number;
  readonly windowMs: number;
  /** What the limit counts: canonical e-mail addresses, addresses as `addressKey` returns them, or user ids. */
  readonly counts: 'email' | 'address' | 'user';
}

/** The limited operations, by the names used in keys and events. */
export type LimitName =
  | 'signup'
  | 'signin'
  | 'refresh'
  | 'oauth'
  | 'forgot'
  | 'resend'
  | 'password'
  | 'mfa_challenge'
  | 'mfa_step_up'
  | 'mfa_code';

/** The limits of an app. */
export type Limits = Readonly<Record<LimitName, Limit>>;

const minute = 60_000;
const hour = 60 * minute;

/** Returns the limits of the specification, with the app's configuration for sign-up and sign-in applied. */
export function toLimits({ emailPassword: { rateLimit } }: Pick<AuthConfig, 'emailPassword'>): Limits {
  const configured = {
    ...(rateLimit.maxAttempts !== undefined && { maxAttempts: rateLimit.maxAttempts }),
    ...(rateLimit.window !== undefined && { windowMs: rateLimit.window }),
  };
  return {
    signup: { counts: 'email', maxAttempts: 3, windowMs: hour, ...configured },
    signin: { counts: 'email', maxAttempts: 5, windowMs: 15 * minute, ...configured },
    refresh: { counts: 'address', maxAttempts: 10, windowMs: minute },
    oauth: { counts: 'address', maxAttempts: 10, windowMs: 5 * minute },
    forgot: { counts: 'email', maxAttempts: 3, windowMs: hour },
    resend: { counts: 'user', maxAttempts: 3, windowMs: hour },
    mfa_challenge: { counts: 'address', maxAttempts: 5, windowMs: 15 * minute },
    mfa_step_up: { counts: 'address', maxAttempts: 5, windowMs: 15 * minute },
    // Counts wrong codes on all routes together: addresses are cheap to get, and there are only a million codes.
    mfa_code: { counts: 'user', maxAttempts: 10, windowMs: 15 * minute },
    // Not in the specification: whoever steals a session must not be able to guess the password with it.
    password: { counts: 'user', maxAttempts: 10, windowMs: 15 * minute },
  };
}
