import { ConfigurationError } from '@x/errors';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseEnv } from '../src/env.ts';
import { makeFolder } from './support/temporary-folder.ts';

const production = {
  NODE_ENV: 'production',
  BASE_URL: 'https://tracker.example',
  ENCRYPTION_KEY: 'one',
  JWT_PRIVATE_KEY: 'private PEM',
  JWT_PUBLIC_KEY: 'public PEM',
};

describe('parseEnv', () => {
  it('has a default for everything in development', () => {
    expect(parseEnv({})).toEqual({
      production: false,
      port: 3000,
      host: '127.0.0.1',
      databaseUrl: { kind: 'file', path: '.data/demo.db' },
      baseUrl: 'http://localhost:3000',
      privateKey: undefined,
      publicKey: undefined,
      algorithm: 'RS256',
      encryptionKeys: [],
      sessionTtl: '60s',
      refreshTtl: '7d',
      cookieSecure: false,
      logLevel: 'info',
    });
  });

  it('takes what is given, and no notice of other variables', () => {
    const env = parseEnv({
      PORT: '8080',
      HOST: '::1',
      DATABASE_URL: 'memory:',
      BASE_URL: 'http://tracker.test:8080',
      JWT_PRIVATE_KEY: 'private PEM',
      JWT_PUBLIC_KEY: 'public PEM',
      JWT_ALGORITHM: 'ES256',
      ENCRYPTION_KEY: 'two, one',
      SESSION_TTL: '5m',
      REFRESH_TTL: '24h',
      COOKIE_SECURE: 'true',
      LOG_LEVEL: 'debug',
      PATH: '/usr/bin',
    });
    expect(env).toEqual({
      production: false,
      port: 8080,
      host: '::1',
      databaseUrl: { kind: 'memory' },
      baseUrl: 'http://tracker.test:8080',
      privateKey: 'private PEM',
      publicKey: 'public PEM',
      algorithm: 'ES256',
      encryptionKeys: ['two', 'one'],
      sessionTtl: '5m',
      refreshTtl: '24h',
      cookieSecure: true,
      logLevel: 'debug',
    });
  });

  it('takes a variable that is set to nothing for one that is not set', () => {
    const names = [
      ...Object.keys(production),
      ...['PORT', 'HOST', 'DATABASE_URL', 'JWT_ALGORITHM', 'SESSION_TTL', 'REFRESH_TTL', 'COOKIE_SECURE', 'LOG_LEVEL'],
    ];
    expect(parseEnv(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(parseEnv({}));
  });

  it('has the port in the base URL that it makes up', () => {
    expect(parseEnv({ PORT: '4000' }).baseUrl).toBe('http://localhost:4000');
  });

  it('secures cookies in production unless told otherwise, which is refused elsewhere', () => {
    expect(parseEnv(production).cookieSecure).toBe(true);
    expect(parseEnv({ ...production, COOKIE_SECURE: 'false' }).cookieSecure).toBe(false);
  });

  it('reads a PEM from the file that it names', () => {
    const path = join(makeFolder(), 'private.pem');
    writeFileSync(path, 'a PEM\n');
    expect(parseEnv({ JWT_PRIVATE_KEY: `file:${path}` }).privateKey).toBe('a PEM\n');
  });

  it.each<[name: string, values: readonly string[]]>([
    ['NODE_ENV', ['test', 'Production', ' ']],
    ['PORT', ['abc', '-1', '65536', '80.5', '1e3', '0x50', ' ', ' 80', '80 ', '٣', 'Infinity', 'true']],
    ['DATABASE_URL', ['ftp://x', 'file:', 'memory', ':memory:', 'demo.db', ' ']],
    ['BASE_URL', ['tracker.example', 'ftp://tracker.example', 'http://', '/', ' ']],
    ['JWT_PRIVATE_KEY', ['file:no-such-file.pem', 'file:.', 'file:']],
    ['JWT_PUBLIC_KEY', ['file:no-such-file.pem']],
    ['JWT_ALGORITHM', ['HS256', 'none', 'rs256', 'RS512']],
    ['ENCRYPTION_KEY', [',', 'one,', ',one', 'one,,two', 'one, ,two', ' ']],
    ['SESSION_TTL', ['1w', '60', '-1s', '1.5h', '1 h', 's', '1h30m', ' ']],
    ['REFRESH_TTL', ['1w', '7D', 'forever']],
    ['COOKIE_SECURE', ['perhaps', '2', ' ']],
    ['LOG_LEVEL', ['loud', 'INFO', ' ']],
  ])('refuses a bad %s by its name', (name, values) => {
    for (const value of values) {
      const problems = problemsOf({ [name]: value });
      expect(problems, JSON.stringify(value)).toEqual([expect.stringMatching(new RegExp(`^${name}: .`))]);
    }
  });

  it('prints no value of a variable', () => {
    const secret = 'hunter2';
    const named = ['NODE_ENV', 'PORT', 'DATABASE_URL', 'BASE_URL', 'JWT_ALGORITHM', 'SESSION_TTL', 'COOKIE_SECURE'];
    const variables = Object.fromEntries(named.map((name) => [name, secret]));
    const problems = problemsOf({ ...variables, ENCRYPTION_KEY: `${secret},`, JWT_PRIVATE_KEY: `file:${secret}` });
    expect(problems).toHaveLength(named.length + 2);
    expect(problems.join()).not.toContain(secret);
  });

  it.each(['BASE_URL', 'ENCRYPTION_KEY', 'JWT_PRIVATE_KEY', 'JWT_PUBLIC_KEY'])('requires %s in production', (name) => {
    expect(problemsOf({ ...production, [name]: undefined })).toEqual([`${name}: is required in production`]);
    expect(problemsOf({ ...production, [name]: '' })).toEqual([`${name}: is required in production`]);
  });

  it('reports every problem at once, of whatever kind', () => {
    const problems = problemsOf({ NODE_ENV: 'production', PORT: 'abc', SESSION_TTL: '1w', ENCRYPTION_KEY: ',' });
    expect(problems.map((problem) => problem.split(':')[0])).toEqual([
      'PORT',
      'ENCRYPTION_KEY',
      'SESSION_TTL',
      'BASE_URL',
      'JWT_PRIVATE_KEY',
      'JWT_PUBLIC_KEY',
    ]);
  });
});

function problemsOf(variables: Readonly<Record<string, string | undefined>>): readonly string[] {
  try {
    parseEnv(variables);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}
