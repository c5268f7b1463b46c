import { ConfigurationError } from '@x/errors';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseEnv } from '../../src/env.ts';
import { makeEcPair, makeRsaPair } from '../support/key-pairs.ts';
import { makeFolder } from '../support/temporary-folder.ts';

const production = {
  NODE_ENV: 'production',
  BASE_URL: 'https://tracker.example',
  ENCRYPTION_KEY: 'one',
  JWT_PRIVATE_KEY: 'private PEM',
  JWT_PUBLIC_KEY: 'public PEM',
  SMTP_URL: 'smtps://mail.example',
};

describe('parseEnv', () => {
  it('has a default for everything in development', () => {
    expect(parseEnv({})).toEqual({
      production: false,
      port: 3000,
      host: '127.0.0.1',
      databaseUrl: { kind: 'file', path: '.data/demo.db' },
      pooled: 'auto',
      baseUrl: 'http://localhost:3000',
      privateKey: undefined,
      publicKey: undefined,
      verificationKeys: [],
      algorithm: 'RS256',
      encryptionKeys: [],
      sessionTtl: '60s',
      refreshTtl: '7d',
      refreshGrace: '10s',
      cookieSecure: false,
      emailVerification: true,
      passwordReset: true,
      invitations: 'at-once',
      mfa: true,
      providers: {},
      oauthMock: true,
      seed: true,
      smtpServer: undefined,
      mailFrom: { name: 'Tracker', address: 'no-reply@localhost' },
      adminEmail: undefined,
      signInRateLimit: undefined,
      refreshRateLimit: undefined,
      trustProxy: 0,
      rateLimitFactor: 1,
      pageFolder: expect.stringMatching(/apps\/demo\/dist\/page$/),
      logLevel: 'info',
    });
  });

  it('parses the given values, and ignores other variables', () => {
    const env = parseEnv({
      PORT: '8080',
      HOST: '::1',
      DATABASE_URL: 'memory:',
      DATABASE_LISTEN_URL: 'postgres://a/b',
      DATABASE_POOLED: 'on',
      BASE_URL: 'http://tracker.test:8080',
      JWT_PRIVATE_KEY: 'private PEM',
      JWT_PUBLIC_KEY: 'public PEM',
      JWT_VERIFICATION_KEYS: 'older PEM',
      JWT_ALGORITHM: 'ES256',
      ENCRYPTION_KEY: 'two, one',
      SESSION_TTL: '5m',
      REFRESH_TTL: '24h',
      REFRESH_GRACE: '500ms',
      COOKIE_SECURE: 'true',
      EMAIL_VERIFICATION: 'false',
      PASSWORD_RESET: 'false',
      INVITATIONS: 'always',
      MFA: 'false',
      GOOGLE_CLIENT_ID: 'id',
      GOOGLE_CLIENT_SECRET: 'secret',
      GOOGLE_USERINFO_URL: 'https://google.test/me',
      SMTP_URL: 'smtp://tracker:p%40ss@mail.test:2525',
      MAIL_FROM: 'Tracker, of Example <tracker@mail.test>',
      ADMIN_EMAIL: ' Ada@Example.com',
      SIGNIN_RATE_LIMIT: '1000/1m',
      REFRESH_RATE_LIMIT: '20/1m/session',
      TRUST_PROXY: '2',
      RATE_LIMIT_FACTOR: '0.5',
      LOG_LEVEL: 'debug',
      PAGE_FOLDER: '/srv/page',
      PATH: '/usr/bin',
    });
    expect(env).toEqual({
      production: false,
      port: 8080,
      host: '::1',
      databaseUrl: { kind: 'memory' },
      listenUrl: 'postgres://a/b',
      pooled: true,
      baseUrl: 'http://tracker.test:8080',
      privateKey: 'private PEM',
      publicKey: 'public PEM',
      verificationKeys: ['older PEM'],
      algorithm: 'ES256',
      encryptionKeys: ['two', 'one'],
      sessionTtl: '5m',
      refreshTtl: '24h',
      refreshGrace: '500ms',
      cookieSecure: true,
      emailVerification: false,
      passwordReset: false,
      invitations: 'always',
      mfa: false,
      providers: {
        google: { clientId: 'id', clientSecret: 'secret', userInfoUrl: 'https://google.test/me' },
      },
      oauthMock: false,
      seed: true,
      smtpServer: {
        host: 'mail.test',
        port: 2525,
        secure: false,
        credentials: { user: 'tracker', password: 'p@ss' },
      },
      mailFrom: { name: 'Tracker, of Example', address: 'tracker@mail.test' },
      adminEmail: 'ada@example.com',
      signInRateLimit: { maxAttempts: 1000, window: '1m' },
      refreshRateLimit: { max: 20, window: '1m', per: 'session' },
      trustProxy: 2,
      rateLimitFactor: 0.5,
      pageFolder: '/srv/page',
      logLevel: 'debug',
    });
  });

  it('treats an empty variable as unset', () => {
    const names = [
      ...Object.keys(production),
      ...['DATABASE_LISTEN_URL', 'DATABASE_POOLED'],
      ...['PORT', 'HOST', 'DATABASE_URL', 'JWT_VERIFICATION_KEYS', 'JWT_ALGORITHM', 'SESSION_TTL', 'REFRESH_TTL'],
      ...['REFRESH_GRACE', 'COOKIE_SECURE', 'SIGNIN_RATE_LIMIT', 'REFRESH_RATE_LIMIT', 'TRUST_PROXY'],
      ...['RATE_LIMIT_FACTOR', 'LOG_LEVEL'],
      ...[
        'EMAIL_VERIFICATION',
        'PASSWORD_RESET',
        'INVITATIONS',
        'MFA',
        'MAIL_FROM',
        'ADMIN_EMAIL',
        'OAUTH_MOCK',
        'GITHUB_CLIENT_ID',
      ],
    ];
    expect(parseEnv(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(parseEnv({}));
  });

  it('uses the port in the default base URL', () => {
    expect(parseEnv({ PORT: '4000' }).baseUrl).toBe('http://localhost:4000');
  });

  it('secures cookies in production unless configured otherwise, which is refused elsewhere', () => {
    expect(parseEnv(production).cookieSecure).toBe(true);
    expect(parseEnv({ ...production, COOKIE_SECURE: 'false' }).cookieSecure).toBe(false);
  });

  it('uses stand-ins for the providers in development if none is configured, unless configured otherwise', () => {
    const github = { GITHUB_CLIENT_ID: 'id', GITHUB_CLIENT_SECRET: 'secret' };
    expect(parseEnv(github).oauthMock).toBe(false);
    expect(parseEnv({ ...github, OAUTH_MOCK: 'true' }).oauthMock).toBe(true);
    expect(parseEnv({ OAUTH_MOCK: 'false' }).oauthMock).toBe(false);
    expect(parseEnv(production).oauthMock).toBe(false);
    expect(parseEnv({ ...production, OAUTH_MOCK: 'false' }).oauthMock).toBe(false);
    expect(problemsOf({ ...production, OAUTH_MOCK: 'true' })).toEqual(['OAUTH_MOCK: cannot be on in production']);
    expect(problemsOf({ ...production, SEED: 'true' })).toEqual(['SEED: cannot be on in production']);
    expect(parseEnv({ ...production, SEED: 'false' }).seed).toBe(false);
  });

  it('requires everything that a provider needs, and names what is missing', () => {
    expect(problemsOf({ DISCORD_CLIENT_ID: 'id' })).toEqual([
      'DISCORD_CLIENT_SECRET: is required with DISCORD_CLIENT_ID',
    ]);
    expect(problemsOf({ GOOGLE_JWKS_URL: 'https://google.test/keys' })).toEqual([
      'GOOGLE_CLIENT_ID: is required with GOOGLE_JWKS_URL',
      'GOOGLE_CLIENT_SECRET: is required with GOOGLE_JWKS_URL',
    ]);
  });

  it("defaults to the ports of mail servers, and needs neither a user nor a sender's name", () => {
    const parse = (SMTP_URL: string): unknown => parseEnv({ SMTP_URL }).smtpServer;
    expect(parse('smtp://mail.test')).toEqual({ host: 'mail.test', port: 587, secure: false });
    expect(parse('smtps://mail.test/')).toEqual({ host: 'mail.test', port: 465, secure: true });
    expect(parse('smtp://[::1]:25')).toEqual({ host: '::1', port: 25, secure: false });
    const { mailFrom } = parseEnv({ MAIL_FROM: 'no-reply@mail.test' });
    expect(mailFrom).toEqual({ name: '', address: 'no-reply@mail.test' });
    expect(parseEnv(production).mailFrom.address).toBe('no-reply@tracker.example');
  });

  it('reads a PEM from the file that it names', () => {
    const path = join(makeFolder(), 'private.pem');
    writeFileSync(path, 'a PEM\n');
    expect(parseEnv({ JWT_PRIVATE_KEY: `file:${path}` }).privateKey).toBe('a PEM\n');
  });

  it('separates public keys that follow one another, given as text or as a file', () => {
    const pems = [makeRsaPair().publicKey, makeEcPair().publicKey];
    const path = join(makeFolder(), 'older.pem');
    writeFileSync(path, pems.join('\n'));
    for (const JWT_VERIFICATION_KEYS of [pems.join(''), pems.join('\r\n'), `file:${path}`]) {
      const { verificationKeys } = parseEnv({ JWT_VERIFICATION_KEYS });
      expect(verificationKeys.map((pem) => pem.trim())).toEqual(pems.map((pem) => pem.trim()));
    }
  });

  it('parses a number of proxies, or their addresses and ranges', () => {
    const parse = (TRUST_PROXY: string): unknown => parseEnv({ TRUST_PROXY }).trustProxy;
    expect(parse('1')).toBe(1);
    expect(parse('10.0.0.1')).toEqual(['10.0.0.1']);
    expect(parse('10.0.0.0/8, 127.0.0.1,fd00::/8')).toEqual(['10.0.0.0/8', '127.0.0.1', 'fd00::/8']);
  });

  it.each<[name: string, values: readonly string[]]>([
    ['NODE_ENV', ['test', 'Production', ' ']],
    ['PORT', ['abc', '-1', '65536', '80.5', '1e3', '0x50', ' ', ' 80', '80 ', '٣', 'Infinity', 'true']],
    ['DATABASE_LISTEN_URL', ['memory:', 'file:x', 'postgres', ' ']],
    ['DATABASE_POOLED', ['maybe', ' ']],
    ['DATABASE_URL', ['ftp://x', 'file:', 'memory', ':memory:', 'demo.db', ' ']],
    ['BASE_URL', ['tracker.example', 'ftp://tracker.example', 'http://', '/', ' ']],
    ['BASE_URL', ['https://ada:secret@tracker.example', 'https://tracker.example/app', 'https://tracker.example?x']],
    ['JWT_PRIVATE_KEY', ['file:no-such-file.pem', 'file:.', 'file:']],
    ['JWT_PUBLIC_KEY', ['file:no-such-file.pem']],
    ['JWT_VERIFICATION_KEYS', ['file:no-such-file.pem', 'file:', ' ', '\n']],
    ['JWT_ALGORITHM', ['HS256', 'none', 'rs256', 'RS512']],
    ['ENCRYPTION_KEY', [',', 'one,', ',one', 'one,,two', 'one, ,two', ' ']],
    ['SESSION_TTL', ['1w', '60', '-1s', '1.5h', '1 h', 's', '1h30m', ' ']],
    ['REFRESH_TTL', ['1w', '7D', 'forever']],
    ['REFRESH_GRACE', ['10', '1w', '10S']],
    ['COOKIE_SECURE', ['perhaps', '2', ' ']],
    ['EMAIL_VERIFICATION', ['perhaps', '2', ' ']],
    ['PASSWORD_RESET', ['perhaps', '2', ' ']],
    ['INVITATIONS', ['never', 'At-once', 'true', ' ']],
    ['MFA', ['perhaps', '2', ' ']],
    ['OAUTH_MOCK', ['perhaps', '2', ' ']],
    [
      'SMTP_URL',
      ['mail.test', 'smtp:mail.test', 'http://mail.test', 'smtp://', 'smtp://:25', 'smtp://mail.test:0', ' '],
    ],
    [
      'SMTP_URL',
      ['smtp://mail.test/inbox', 'smtp://mail.test?logger=true', 'smtp://mail.test#x', 'smtp://m.test:65536'],
    ],
    ['SMTP_URL', ['smtp://user@mail.test', 'smtp://:pass@mail.test', 'smtp://user:%zz@mail.test']],
    ['MAIL_FROM', ['tracker', 'Tracker <tracker>', 'a@b.test, c@d.test', 'A <a@b.test>, B <c@d.test>', '<>', ' ']],
    ['MAIL_FROM', ['Tracker\r\nBcc: eve@b.test <a@b.test>', 'Tracker <a@b.test\nBcc: eve@b.test>', 'a@b.test\n']],
    [
      'ADMIN_EMAIL',
      ['ada', 'ada@localhost', 'ada@example.com, eve@example.com', 'Ada <ada@example.com>', '@b.test', ' '],
    ],
    [
      'SIGNIN_RATE_LIMIT',
      ['5', '5/', '/1m', '0/1m', '-1/1m', '1.5/1m', '5/1', '5/1w', '5 / 1m', '5/1m/1m', '1000001/1m'],
    ],
    [
      'REFRESH_RATE_LIMIT',
      ['5', '5/1m', '5/1m/', '5/1m/user', '5/1m/Session', '0/1m/session', '5/1/network', '5/session', '/1m/session'],
    ],
    [
      'TRUST_PROXY',
      ['-1', '33', '1.5', 'true', 'loopback', '10.0.0.0/33', '010.0.0.1', '127.1', '10.0.0.1,', ',', ' '],
    ],
    ['RATE_LIMIT_FACTOR', ['0', '0.0', '-1', '1e3', '.5', '5.', '1000000', 'Infinity', 'NaN', '1,5', 'two', ' ']],
    [
      'HOST',
      ['0.0.0.0', '::', '::0', '192.0.2.1', 'tracker.example', 'localhost.example', '127.0.0.1.example', '127.1', ' '],
    ],
    ['DEV_ANY_HOST', ['perhaps', '2', ' ']],
    ['TEST_PATIENCE_MS', ['0', '-1', '1.5', 'long', 'Infinity', ' ']],
    ['LOG_LEVEL', ['loud', 'INFO', ' ']],
  ])('refuses an invalid %s by its name', (name, values) => {
    for (const value of values) {
      const problems = problemsOf({ [name]: value });
      expect(problems, JSON.stringify(value)).toEqual([expect.stringMatching(new RegExp(`^${name}: .`))]);
    }
  });

  it('names the file of a key that cannot be read', () => {
    const problems = problemsOf({ JWT_PRIVATE_KEY: 'file:keys/no-such-file.pem', JWT_PUBLIC_KEY: 'file:keys' });
    expect(problems).toEqual([
      'JWT_PRIVATE_KEY: names a file, keys/no-such-file.pem, that cannot be read',
      'JWT_PUBLIC_KEY: names a file that cannot be read',
    ]);
  });

  it('prints no value of a variable', () => {
    const secret = 'hunter2';
    const named = [
      ...['NODE_ENV', 'PORT', 'DATABASE_URL', 'BASE_URL', 'JWT_ALGORITHM', 'SESSION_TTL', 'REFRESH_GRACE'],
      ...['COOKIE_SECURE', 'SIGNIN_RATE_LIMIT', 'TRUST_PROXY', 'RATE_LIMIT_FACTOR', 'EMAIL_VERIFICATION', 'SMTP_URL'],
      ...['MAIL_FROM', 'ADMIN_EMAIL', 'REFRESH_RATE_LIMIT', 'DATABASE_LISTEN_URL', 'DATABASE_POOLED'],
    ];
    const variables = Object.fromEntries(named.map((name) => [name, secret]));
    const problems = problemsOf({ ...variables, ENCRYPTION_KEY: `${secret},`, JWT_PRIVATE_KEY: `file:${secret}` });
    expect(problems).toHaveLength(named.length + 2);
    expect(problems.join()).not.toContain(secret);
  });

  it('requires TLS in production, unless on localhost', () => {
    expect(() => parseEnv({ ...production, BASE_URL: 'http://tracker.example' })).toThrow(/BASE_URL: must be https/);
    expect(parseEnv({ BASE_URL: 'http://tracker.example' }).baseUrl).toBe('http://tracker.example');
    for (const host of ['localhost:3000', '127.0.0.1:3000', '[::1]:3000']) {
      expect(parseEnv({ ...production, BASE_URL: `http://${host}/` }).baseUrl).toBe(`http://${host}`);
    }
  });

  it.each(['BASE_URL', 'ENCRYPTION_KEY', 'JWT_PRIVATE_KEY', 'JWT_PUBLIC_KEY'])('requires %s in production', (name) => {
    expect(problemsOf({ ...production, [name]: undefined })).toEqual([`${name}: is required in production`]);
    expect(problemsOf({ ...production, [name]: '' })).toEqual([`${name}: is required in production`]);
  });

  it('refuses any factor of rate limits in production', () => {
    for (const RATE_LIMIT_FACTOR of ['1', '0.5', '100']) {
      const problems = problemsOf({ ...production, RATE_LIMIT_FACTOR });
      expect(problems).toEqual(['RATE_LIMIT_FACTOR: cannot be set in production']);
    }
    expect(parseEnv({ ...production, RATE_LIMIT_FACTOR: '' }).rateLimitFactor).toBe(1);
  });

  it('lets only tests wait longer for the database', () => {
    expect(parseEnv({}).patienceMs).toBeUndefined();
    expect(parseEnv({ TEST_PATIENCE_MS: '60000' }).patienceMs).toBe(60_000);
    expect(problemsOf({ ...production, TEST_PATIENCE_MS: '1' })).toEqual([
      'TEST_PATIENCE_MS: cannot be set in production',
    ]);
  });

  it('listens beyond loopback in development only if DEV_ANY_HOST says so, and anywhere in production', () => {
    for (const HOST of ['localhost', '127.0.0.1', '127.0.0.2', '::1']) expect(parseEnv({ HOST }).host).toBe(HOST);
    for (const HOST of ['0.0.0.0', '::', '192.0.2.1', 'tracker.example']) {
      expect(parseEnv({ HOST, DEV_ANY_HOST: '1' }).host).toBe(HOST);
      expect(parseEnv({ ...production, HOST }).host).toBe(HOST);
      for (const DEV_ANY_HOST of ['', '0', 'false']) {
        const [problem, ...others] = problemsOf({ HOST, DEV_ANY_HOST });
        expect([problem, others]).toEqual([expect.stringMatching(/^HOST: .*DEV_ANY_HOST=1/), []]);
      }
    }
    expect(problemsOf({ ...production, DEV_ANY_HOST: '1' })).toEqual(['DEV_ANY_HOST: cannot be set in production']);
  });

  it('reports every problem at once, of any kind', () => {
    const problems = problemsOf({
      NODE_ENV: 'production',
      PORT: 'abc',
      SESSION_TTL: '1w',
      ENCRYPTION_KEY: ',',
      TRUST_PROXY: 'x',
      RATE_LIMIT_FACTOR: '2',
      ADMIN_EMAIL: 'nobody',
    });
    expect(problems.map((problem) => problem.split(':')[0])).toEqual([
      'PORT',
      'ENCRYPTION_KEY',
      'SESSION_TTL',
      'ADMIN_EMAIL',
      'TRUST_PROXY',
      'BASE_URL',
      'JWT_PRIVATE_KEY',
      'JWT_PUBLIC_KEY',
      'RATE_LIMIT_FACTOR',
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
