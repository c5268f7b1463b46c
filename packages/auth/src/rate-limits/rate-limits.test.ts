import { expect, it } from 'vitest';
import { parseAuthSettings } from '../config/parse-auth-settings.ts';
import { type Limits, toLimits } from './rate-limits.ts';

type RateLimit = NonNullable<NonNullable<Parameters<typeof parseAuthSettings>[0]['emailPassword']>['rateLimit']>;

function limitsWith(rateLimit?: RateLimit): Limits {
  const emailPassword = rateLimit === undefined ? {} : { rateLimit };
  return toLimits(parseAuthSettings({ production: false, session: { strategy: 'jwt' }, emailPassword }));
}

/** What nobody configures. */
const fixed = {
  signin_failed: { counts: 'address', maxAttempts: 100, windowMs: 900_000 },
  refresh: { counts: 'address', maxAttempts: 10, windowMs: 60_000 },
  refresh_unknown: { counts: 'address', maxAttempts: 10, windowMs: 60_000 },
  render: { counts: 'session', maxAttempts: 60, windowMs: 60_000 },
  oauth: { counts: 'address', maxAttempts: 10, windowMs: 300_000 },
  forgot: { counts: 'email', maxAttempts: 3, windowMs: 3_600_000 },
  resend: { counts: 'user', maxAttempts: 3, windowMs: 3_600_000 },
  mfa_challenge: { counts: 'address', maxAttempts: 5, windowMs: 900_000 },
  mfa_step_up: { counts: 'address', maxAttempts: 5, windowMs: 900_000 },
  switch_tenant: { counts: 'user', maxAttempts: 30, windowMs: 60_000 },
  confirm: { counts: 'user', maxAttempts: 10, windowMs: 900_000 },
  proof: { counts: 'user', maxAttempts: 10, windowMs: 900_000 },
};

it.each([undefined, {}])('applies the limits of the specification with the rateLimit %j', (rateLimit) => {
  expect(limitsWith(rateLimit)).toEqual({
    signup: { counts: 'email', maxAttempts: 3, windowMs: 3_600_000 },
    signin: { counts: 'email', maxAttempts: 5, windowMs: 900_000 },
    ...fixed,
  });
});

it('applies the configured limit to sign-up and sign-in, and to nothing else', () => {
  const both = { counts: 'email', maxAttempts: 7, windowMs: 30_000 };
  expect(limitsWith({ window: '30s', maxAttempts: 7 })).toEqual({ signup: both, signin: both, ...fixed });
  expect(limitsWith({ window: 1 })).toEqual({
    signup: { counts: 'email', maxAttempts: 3, windowMs: 1 },
    signin: { counts: 'email', maxAttempts: 5, windowMs: 1 },
    ...fixed,
  });
  expect(limitsWith({ maxAttempts: 1 })).toEqual({
    signup: { counts: 'email', maxAttempts: 1, windowMs: 3_600_000 },
    signin: { counts: 'email', maxAttempts: 1, windowMs: 900_000 },
    ...fixed,
  });
});
