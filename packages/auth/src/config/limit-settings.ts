import { z } from 'zod';
import { duration, type Duration } from '../duration.ts';
import type { LimitStore } from '../rate-limits/limit-store.ts';
import type { LimitConfig } from '../rate-limits/limits.ts';

/** How often a route may be tried. Absent members keep their defaults. */
interface LimitSetting {
  /** How many attempts a window allows, 1 to 1 000 000. */
  readonly max?: number;
  /** How long attempts are counted, from the first one. */
  readonly window?: Duration;
}

/** A limit of which only wrong attempts may count. */
interface CountSetting extends LimitSetting {
  /** Default `attempts`. `failures`: those that succeed do not count. */
  readonly count?: 'attempts' | 'failures';
}

/** The limits on the auth routes. Limits per e-mail address protect that address, so they are always per address. */
export interface LimitSettings {
  /** Default: 3 per `1h` and e-mail address. Not together with `emailPassword.rateLimit`. */
  readonly signup?: LimitSetting;
  /** Default: 5 per `15m` and e-mail address. Not together with `emailPassword.rateLimit`. */
  readonly signin?: CountSetting;
  /**
   * Default: 10 per `1m` and network. Refreshes with a token that no session has are always counted per network, with
   * the same numbers, and apart from the others.
   */
  readonly refresh?: CountSetting & { readonly per?: 'network' | 'session' | 'user' };
  /** `GET /oauth/:provider`. Default: 10 per `5m` and network. */
  readonly oauth?: LimitSetting;
  /** Default: 3 per `1h` and e-mail address. */
  readonly forgotPassword?: LimitSetting;
  /** Default: 3 per `1h` and user. */
  readonly resendVerification?: LimitSetting;
  /** Default: 5 per `15m` and network. */
  readonly mfaChallenge?: CountSetting & { readonly per?: 'network' | 'user' };
  /** Default: 5 per `15m` and network. */
  readonly mfaStepUp?: CountSetting & { readonly per?: 'network' | 'session' | 'user' };
  /**
   * Counts the attempts, in Redis for example. Default: the stores of the app. Limits that count only failures stay
   * there, because an attempt that succeeds is taken back.
   */
  readonly store?: LimitStore;
}

const row = z.strictObject({ max: z.int().min(1).max(1_000_000).optional(), window: duration.optional() });
const countedRow = row.extend({ count: z.enum(['attempts', 'failures']).optional() });

/** Parses these settings. */
export const limitSettings: z.ZodType<LimitConfig['limits']> = z.strictObject({
  signup: row.optional(),
  signin: countedRow.optional(),
  refresh: countedRow.extend({ per: z.enum(['network', 'session', 'user']).optional() }).optional(),
  oauth: row.optional(),
  forgotPassword: row.optional(),
  resendVerification: row.optional(),
  mfaChallenge: countedRow.extend({ per: z.enum(['network', 'user']).optional() }).optional(),
  mfaStepUp: countedRow.extend({ per: z.enum(['network', 'session', 'user']).optional() }).optional(),
  store: z
    .custom<LimitStore>(
      (value) => typeof (value as LimitStore | null)?.check === 'function',
      'must have a method check',
    )
    .optional(),
});
