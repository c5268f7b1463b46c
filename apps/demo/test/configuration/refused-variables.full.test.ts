import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startHere } from '../support/demo-in-process.ts';
import { startInVain } from '../support/demo-process.ts';
import { makeFolder } from '../support/temporary-folder.ts';

it('names all invalid variables at once, and creates nothing', async () => {
  const folder = makeFolder();
  const refused = await startInVain({
    folder,
    variables: {
      NODE_ENV: 'production',
      PORT: 'abc',
      DATABASE_URL: 'ftp://user:hunter2@x',
      LOG_LEVEL: 'loud',
      SESSION_TTL: '1w',
      REFRESH_GRACE: 'long',
      COOKIE_SECURE: 'perhaps',
      EMAIL_VERIFICATION: 'maybe',
      SMTP_URL: 'http://user:hunter2@mail.example',
      SIGNIN_RATE_LIMIT: 'often',
      REFRESH_RATE_LIMIT: 'seldom',
      TRUST_PROXY: 'everybody',
      RATE_LIMIT_FACTOR: '10',
      JWT_VERIFICATION_KEYS: 'file:nowhere.pem',
    },
  });
  expect(refused).toMatchObject({ code: 1, signal: null });
  for (const name of [
    'PORT',
    'DATABASE_URL',
    'LOG_LEVEL',
    'SESSION_TTL',
    'REFRESH_GRACE',
    'COOKIE_SECURE',
    'EMAIL_VERIFICATION',
    'SMTP_URL',
    'SIGNIN_RATE_LIMIT',
    'REFRESH_RATE_LIMIT',
    'TRUST_PROXY',
    'RATE_LIMIT_FACTOR',
    'JWT_VERIFICATION_KEYS',
    'BASE_URL',
    'ENCRYPTION_KEY',
  ]) {
    expect(refused.errors).toMatch(new RegExp(`^ +- ${name}: .+$`, 'm'));
  }
  expect(refused.output).not.toContain('hunter2');
  expect(existsSync(join(folder, '.data'))).toBe(false);
});

it('refuses a host that is not an address of this machine', async () => {
  const refused = await startInVain({ folder: makeFolder(), variables: { HOST: '192.0.2.1', DEV_ANY_HOST: '1' } });
  expect(refused.code).toBe(1);
  expect(refused.errors).toMatch(/EADDRNOTAVAIL.*192\.0\.2\.1/);
  expect(refused.errors).not.toMatch(/^ +at /m);
});

it.each<[name: string, named: RegExp, variables: Record<string, string>]>([
  ['a session that lasts no time', /- SESSION_TTL: /, { SESSION_TTL: '0s' }],
  ['a session that outlasts its refresh token', /SESSION_TTL.*REFRESH_TTL/, { SESSION_TTL: '2h', REFRESH_TTL: '1h' }],
  ['a grace that lasts no time', /- REFRESH_GRACE: /, { REFRESH_GRACE: '0s' }],
  ['a window that lasts no time', /- SIGNIN_RATE_LIMIT: /, { SIGNIN_RATE_LIMIT: '5/0s' }],
  ['a window of refreshes that lasts no time', /- REFRESH_RATE_LIMIT: /, { REFRESH_RATE_LIMIT: '5/0s/session' }],
  ['a key for verification that is none', /- JWT_VERIFICATION_KEYS\[0\] /, { JWT_VERIFICATION_KEYS: 'x' }],
  ['half a key pair', /JWT_PRIVATE_KEY, JWT_PUBLIC_KEY/, { JWT_PRIVATE_KEY: '' }],
])('refuses %s, by the name of its variable', async (_name, named, variables) => {
  await expect(startHere(variables)).rejects.toThrow(named);
});

it('refuses a port that is taken, naming it', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const refused = await startInVain({ folder: makeFolder(), variables: { PORT: String(port) } });
  expect(refused.code).toBe(1);
  expect(refused.errors).toContain(`EADDRINUSE: address already in use 127.0.0.1:${port}`);
});

it('refuses a database in a folder that cannot be created, or a file that is no database', async () => {
  const folder = makeFolder();
  writeFileSync(join(folder, 'text'), 'This is not a database, however long one looks at it. '.repeat(100));
  const inFile = await startInVain({ folder, variables: { DATABASE_URL: 'file:text/demo.db' } });
  expect([inFile.code, inFile.errors]).toEqual([1, expect.stringMatching(/text/)]);
  const noDatabase = await startInVain({ folder, variables: { DATABASE_URL: 'file:text' } });
  expect([noDatabase.code, noDatabase.errors]).toEqual([1, expect.stringMatching(/database/)]);
});

it('refuses a database server that does not respond, without revealing the password', async () => {
  const url = 'postgres://tracker:hunter2@127.0.0.1:1/tracker';
  const variables = { DATABASE_URL: url, TEST_PATIENCE_MS: '300' };
  const refused = await startInVain({ folder: makeFolder(), variables });
  expect(refused).toMatchObject({
    code: 1,
    output: expect.stringMatching(/waits, for up to 0\.3 s, for the database tracker on 127\.0\.0\.1:1.*ECONNREFUSED/),
    errors: expect.stringMatching(/^DATABASE_URL: .*has waited 0\.3 s for the database tracker .*ECONNREFUSED/),
  });
  expect(refused.output + refused.errors).not.toContain('hunter2');
});
