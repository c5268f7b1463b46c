import { describe, expect, it } from 'vitest';
import { parseAuthSettings } from '../config/parse-auth-settings.ts';
import { type Limits, toLimits } from './limits.ts';

type Settings = Parameters<typeof parseAuthSettings>[0];
type RateLimit = NonNullable<NonNullable<Settings['emailPassword']>['rateLimit']>;

function limitsWith(settings: Pick<Settings, 'emailPassword' | 'limits'>): Limits {
  return toLimits(parseAuthSettings({ production: false, session: { strategy: 'jwt' }, ...settings }));
}

function limitsWithRateLimit(rateLimit?: RateLimit): Limits {
  return limitsWith({ emailPassword: rateLimit === undefined ? {} : { rateLimit } });
}

const attempts = { count: 'attempts' } as const;
const failures = { count: 'failures' } as const;

/** The limits that `emailPassword.rateLimit` does not configure. */
const others = {
  failedSignin: { per: 'network', maxAttempts: 100, windowMs: 900_000, ...failures },
  refresh: { per: 'network', maxAttempts: 10, windowMs: 60_000, ...attempts },
  unknownRefresh: { per: 'network', maxAttempts: 10, windowMs: 60_000, ...attempts },
  render: { per: 'session', maxAttempts: 60, windowMs: 60_000, ...attempts },
  oauth: { per: 'network', maxAttempts: 10, windowMs: 300_000, ...attempts },
  forgotPassword: { per: 'email', maxAttempts: 3, windowMs: 3_600_000, ...attempts },
  resendVerification: { per: 'user', maxAttempts: 3, windowMs: 3_600_000, ...attempts },
  mfaChallenge: { per: 'network', maxAttempts: 5, windowMs: 900_000, ...attempts },
  mfaStepUp: { per: 'network', maxAttempts: 5, windowMs: 900_000, ...attempts },
  switchTenant: { per: 'user', maxAttempts: 30, windowMs: 60_000, ...attempts },
  confirm: { per: 'user', maxAttempts: 10, windowMs: 900_000, ...attempts },
  proof: { per: 'user', maxAttempts: 10, windowMs: 900_000, ...failures },
};

const [signup, signin] = [
  { per: 'email', maxAttempts: 3, windowMs: 3_600_000, ...attempts },
  { per: 'email', maxAttempts: 5, windowMs: 900_000, ...attempts },
] as const;

it.each([undefined, {}])('applies the limits of the specification with the rateLimit %j', (rateLimit) => {
  expect(limitsWithRateLimit(rateLimit)).toEqual({ signup, signin, ...others });
});

it('applies the configured limit to sign-up and sign-in, and to nothing else', () => {
  const both = { per: 'email', maxAttempts: 7, windowMs: 30_000, ...attempts };
  expect(limitsWithRateLimit({ window: '30s', maxAttempts: 7 })).toEqual({ signup: both, signin: both, ...others });
  expect(limitsWithRateLimit({ window: 1 })).toEqual({
    signup: { ...signup, windowMs: 1 },
    signin: { ...signin, windowMs: 1 },
    ...others,
  });
  expect(limitsWithRateLimit({ maxAttempts: 1 })).toEqual({
    signup: { ...signup, maxAttempts: 1 },
    signin: { ...signin, maxAttempts: 1 },
    ...others,
  });
});

describe('limits', () => {
  it.each([undefined, {}, { signup: {}, refresh: {}, mfaStepUp: {} }])(
    'of %j are those of the specification',
    (limits) => {
      expect(limitsWith({ ...(limits && { limits }) })).toEqual({ signup, signin, ...others });
    },
  );

  it.each([
    ['signup', signup],
    ['signin', signin],
    ['oauth', others.oauth],
    ['forgotPassword', others.forgotPassword],
    ['resendVerification', others.resendVerification],
    ['mfaChallenge', others.mfaChallenge],
    ['mfaStepUp', others.mfaStepUp],
  ] as const)('set %s and nothing else, and of that only what they name', (name, row) => {
    const defaults = { signup, signin, ...others };
    const set = (setting: object): Limits => limitsWith({ limits: { [name]: setting } });
    expect(set({ max: 7 })).toEqual({ ...defaults, [name]: { ...row, maxAttempts: 7 } });
    expect(set({ window: '30s' })).toEqual({ ...defaults, [name]: { ...row, windowMs: 30_000 } });
  });

  it.each([
    ['mfaChallenge', 'user'],
    ['mfaStepUp', 'user'],
    ['mfaStepUp', 'session'],
  ] as const)('set whose attempts %s counts: those of a %s', (name, per) => {
    const expected = { signup, signin, ...others, [name]: { ...others[name], per } };
    expect(limitsWith({ limits: { [name]: { per } } })).toEqual(expected);
  });

  it.each(['signin', 'mfaChallenge', 'mfaStepUp'] as const)('let %s count failures only', (name) => {
    const defaults = { signup, signin, ...others };
    const set = (count: 'attempts' | 'failures'): Limits => limitsWith({ limits: { [name]: { count } } });
    expect(set('failures')).toEqual({ ...defaults, [name]: { ...defaults[name], ...failures } });
    expect(set('attempts')).toEqual(defaults);
  });

  it('set refresh together with the bucket of unknown tokens, which stays per network', () => {
    const limits = { refresh: { max: 30, window: '2m', per: 'session', count: 'failures' } } as const;
    const row = { maxAttempts: 30, windowMs: 120_000, ...failures };
    const set = { refresh: { ...row, per: 'session' }, unknownRefresh: { ...row, per: 'network' } };
    expect(limitsWith({ limits })).toEqual({ signup, signin, ...others, ...set });
  });
});
