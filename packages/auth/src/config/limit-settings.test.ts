import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '@x/errors';
import { parseAuthSettings } from './parse-auth-settings.ts';

type Settings = Parameters<typeof parseAuthSettings>[0];

function problemsOf(settings: Record<string, unknown>): readonly string[] {
  try {
    parseAuthSettings({ production: false, session: { strategy: 'jwt' }, ...settings } as Settings);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

describe('limits', () => {
  it.each([
    { max: 1 },
    { max: 1_000_000, window: '10s' },
    { window: 1, per: 'session', count: 'failures' },
    { per: 'user', count: 'attempts' },
    { per: 'network' },
  ])('accept %j for refresh', (refresh) => {
    expect(problemsOf({ limits: { refresh } })).toEqual([]);
  });

  it.each([
    ...[0, -1, 1.5, 1_000_001, Infinity, '5', null].map((max) => [{ max }, 'max'] as const),
    ...[0, '', '15', '15 m', null].map((window) => [{ window }, 'window'] as const),
    ...['email', 'address', '', null].map((per) => [{ per }, 'per'] as const),
    ...['successes', true, null].map((count) => [{ count }, 'count'] as const),
  ])('refuse %j for refresh', (refresh, name) => {
    expect(problemsOf({ limits: { refresh } })).toEqual([
      expect.stringMatching(new RegExp(`^limits\\.refresh\\.${name}: `)),
    ]);
  });

  it.each([
    ['limits.refesh: unknown option, did you mean limits.refresh?', { refesh: {} }],
    ['limits.refresh.windw: unknown option, did you mean limits.refresh.window?', { refresh: { windw: 1 } }],
    ['limits.signin.per: unknown option; the known ones are max, window, count.', { signin: { per: 'network' } }],
    ['limits.oauth.count: unknown option; the known ones are max, window.', { oauth: { count: 'failures' } }],
    ['limits.store: must have a method check', { store: () => ({ allowed: true }) }],
  ])('are refused with: %s', (problem, limits) => {
    expect(problemsOf({ limits })).toEqual([problem]);
  });

  it('count codes of a challenge for no session, because there is none yet', () => {
    expect(problemsOf({ limits: { mfaChallenge: { per: 'session' } } })).toEqual([
      expect.stringMatching(/^limits\.mfaChallenge\.per: /),
    ]);
  });

  it('and emailPassword.rateLimit together are refused where both set the same limit', () => {
    const limits = { signup: { max: 1 }, signin: { max: 1 }, refresh: { max: 1 } };
    for (const rateLimit of [{ maxAttempts: 1 }, { window: '1h' }]) {
      expect(problemsOf({ limits, emailPassword: { rateLimit } })).toEqual([
        'limits.signup: is set by emailPassword.rateLimit, too; remove one of them',
        'limits.signin: is set by emailPassword.rateLimit, too; remove one of them',
      ]);
    }
    expect(problemsOf({ limits, emailPassword: { rateLimit: {} } })).toEqual([]);
    expect(problemsOf({ limits: { refresh: {} }, emailPassword: { rateLimit: { maxAttempts: 1 } } })).toEqual([]);
  });
});
