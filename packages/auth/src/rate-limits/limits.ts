import type { LimitStore } from './limit-store.ts';

/**
 * The subject whose attempts a limit counts: a canonical e-mail address, a network (see `addressKey`), a session or a
 * user.
 */
export type LimitSubject = 'email' | 'network' | 'session' | 'user';

/** How many attempts of a subject a window allows, and how long it lasts. */
interface Limit<Subject extends LimitSubject = LimitSubject> {
  readonly maxAttempts: number;
  readonly windowMs: number;
  readonly per: Subject;
  /** Whether attempts that succeed count, too. */
  readonly count: 'attempts' | 'failures';
}

/** The limits of an app, by the names used in settings, keys and events. */
export interface Limits {
  readonly signup: Limit<'email'>;
  readonly signin: Limit<'email'>;
  /** An attacker who tries passwords of many addresses stays below the limit of each address. */
  readonly failedSignin: Limit<'network'>;
  readonly refresh: Limit<'network' | 'session' | 'user'>;
  /** Refreshes with a token that no session stores. */
  readonly unknownRefresh: Limit<'network'>;
  /** Refreshes for pages. Several processes may each do one for the parts of a page. */
  readonly render: Limit<'session'>;
  readonly oauth: Limit<'network'>;
  readonly forgotPassword: Limit<'email'>;
  readonly resendVerification: Limit<'user'>;
  readonly mfaChallenge: Limit<'network' | 'user'>;
  readonly mfaStepUp: Limit<'network' | 'session' | 'user'>;
  readonly switchTenant: Limit<'user'>;
  readonly confirm: Limit<'user'>;
  /**
   * Wrong passwords and codes on all routes together, sign-in apart. An attacker who steals a session must not be able
   * to guess the password with it. A limit for each network would not do: addresses are cheap to get, and there are
   * only a million codes.
   */
  readonly proof: Limit<'user'>;
}

/** The name of a limit. */
export type LimitName = keyof Limits;

/** The limits that an app may set. */
type SettableLimit = Exclude<
  LimitName,
  'failedSignin' | 'unknownRefresh' | 'render' | 'switchTenant' | 'confirm' | 'proof'
>;

/** The settings of limits, durations in milliseconds. */
export interface LimitConfig {
  readonly emailPassword: {
    readonly rateLimit: { readonly window?: number | undefined; readonly maxAttempts?: number | undefined };
  };
  readonly limits: {
    readonly [Name in SettableLimit]?: LimitChange<Limits[Name]['per']> | undefined;
  } & { readonly store?: LimitStore | undefined };
}

interface LimitChange<Subject extends LimitSubject> {
  readonly max?: number | undefined;
  readonly window?: number | undefined;
  readonly per?: Subject | undefined;
  readonly count?: 'attempts' | 'failures' | undefined;
}

const minute = 60_000;
const hour = 60 * minute;

/** Returns the limits of an app: those of the specification, with the app's changes, and our own. */
export function toLimits({ emailPassword: { rateLimit }, limits }: LimitConfig): Limits {
  const both = { max: rateLimit.maxAttempts, window: rateLimit.window };
  const refresh: Limits['refresh'] = change(attempts('network', 10, minute), limits.refresh);
  return {
    signup: change(change(attempts('email', 3, hour), both), limits.signup),
    signin: change(change(attempts('email', 5, 15 * minute), both), limits.signin),
    failedSignin: { ...attempts('network', 100, 15 * minute), count: 'failures' },
    refresh,
    unknownRefresh: { ...refresh, per: 'network' },
    render: attempts('session', 60, minute),
    oauth: change(attempts('network', 10, 5 * minute), limits.oauth),
    forgotPassword: change(attempts('email', 3, hour), limits.forgotPassword),
    resendVerification: change(attempts('user', 3, hour), limits.resendVerification),
    mfaChallenge: change(attempts('network', 5, 15 * minute), limits.mfaChallenge),
    mfaStepUp: change(attempts('network', 5, 15 * minute), limits.mfaStepUp),
    switchTenant: attempts('user', 30, minute),
    confirm: attempts('user', 10, 15 * minute),
    proof: { ...attempts('user', 10, 15 * minute), count: 'failures' },
  };
}

function attempts<Subject extends LimitSubject>(per: Subject, maxAttempts: number, windowMs: number): Limit<Subject> {
  return { maxAttempts, windowMs, per, count: 'attempts' };
}

function change<Subject extends LimitSubject>(
  limit: Limit<Subject>,
  { max, window, per, count }: LimitChange<Subject> = {},
): Limit<Subject> {
  return {
    maxAttempts: max ?? limit.maxAttempts,
    windowMs: window ?? limit.windowMs,
    per: per ?? limit.per,
    count: count ?? limit.count,
  };
}
