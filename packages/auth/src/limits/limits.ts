import type { AuthConfig } from '../config/auth-config.ts';

/** How many attempts on one key a window admits, and how long it lasts. */
interface Limit {
  readonly maxAttempts: number;
  readonly windowMs: number;
  /** What its keys are: canonical e-mails, addresses as `addressKey` spells them, or ids of users. */
  readonly counts: 'email' | 'address' | 'user';
}

/** The limited operations, by the names that keys and events carry. */
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

/** Returns the limits of the specification, with what the app configured for sign-up and sign-in. */
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
    // Of wrong codes, wherever one is asked for: addresses are cheap, and a code has a million values only.
    mfa_code: { counts: 'user', maxAttempts: 10, windowMs: 15 * minute },
    // Not of the specification: whoever has somebody's session must not guess their password with it.
    password: { counts: 'user', maxAttempts: 10, windowMs: 15 * minute },
  };
}
