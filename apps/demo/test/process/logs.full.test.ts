import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { type DemoProcess, startDemo } from '../support/demo-process.ts';
import { makeRsaPair, secretLinesOf } from '../support/key-pairs.ts';
import { exchange } from '../support/raw-socket.ts';
import { refreshTokenOf } from '../support/refresh.ts';
import { makeFolder } from '../support/temporary-folder.ts';

/** Stands in every place where a secret could be sent by mistake. */
const marker = 'hunter2-no-log-may-hold-this';

/** Begins what would be a line of its own if a line break got through. */
const forged = 'FORGED-LINE';

it('prints no secret and no injected line in development, at the finest level', async () => {
  const folder = makeFolder();
  const demo = await startDemo({ folder, variables: { LOG_LEVEL: 'trace' } });
  const secrets = await useAll(demo, demo.origin);
  await demo.stop();
  const keys = join(folder, '.data/keys');
  const generated = readdirSync(keys).flatMap((file) => readFileSync(join(keys, file), 'utf8').split('\n'));
  expectSilenceAbout([...secrets, ...generated.filter((line) => line.length > 16 && !line.startsWith('---'))], demo);
  expect(demo.output()).toContain('path: "/api/auth/signin"');
});

it('prints no secret and no injected line in production, at the finest level', async () => {
  const { privateKey, publicKey } = makeRsaPair();
  const baseUrl = 'https://tracker.example';
  const variables = {
    NODE_ENV: 'production',
    BASE_URL: baseUrl,
    JWT_PRIVATE_KEY: privateKey,
    JWT_PUBLIC_KEY: publicKey,
    ENCRYPTION_KEY: `${marker},${marker}-before`,
    LOG_LEVEL: 'trace',
  };
  const demo = await startDemo({ folder: makeFolder(), variables });
  const secrets = await useAll(demo, baseUrl);
  await demo.stop();
  expectSilenceAbout([...secrets, ...secretLinesOf(privateKey)], demo);
  const events = demo.output().trimEnd().split('\n').map(eventOf);
  expect(new Set(events)).toEqual(new Set([undefined, ...accountEvents, 'refresh_token.reused', 'rate_limit.reached']));
});

const accountEvents = [
  'user.created',
  'email_verification.requested',
  'sign_in.succeeded',
  'sign_in.failed',
  'session.revoked',
];

/** Uses the demo well and badly, with the marker wherever it fits; returns the secrets that came back. */
async function useAll(demo: DemoProcess, pageOrigin: string): Promise<readonly string[]> {
  const browser = new Browser(demo.origin, pageOrigin);
  const account = { ...newAccount(), password: `${marker}!` };
  const secrets: string[] = [];
  const keep = (): void =>
    void secrets.push(...[...browser.cookies.values()].flatMap((value) => [value, ...value.split('.')]));

  await browser.post('/api/auth/signup', account);
  keep();
  await browser.get('/api/auth/session');
  await browser.post('/api/auth/signup', account);
  await browser.post('/api/auth/signin', account);
  keep();
  await useSessions(browser, account, keep);
  await browser.post('/api/auth/signin', { ...account, password: marker });
  await browser.post('/api/auth/signin', { email: `nobody@example.com\r\n${forged}`, password: marker });
  await browser.post('/api/auth/signup', {
    email: `${marker}@example.com\n`,
    password: `${marker}\r\n${forged}`,
    role: marker,
  });
  await browser.post('/api/auth/signup', { ...newAccount(), password: marker.repeat(100) });
  await browser.post('/api/auth/signout');
  for (const body of [`{"password":"${marker}`, `${marker}\r\n${forged}`, `["${marker}"]`, '']) {
    for (const path of ['/api/auth/signin', '/api/auth/signup', '/api/auth/signout', '/dev/clock']) {
      await browser.send(path, { method: 'POST', body });
    }
  }
  await sendOddHeaders(browser);
  for (const target of [`/api/auth/session%0d%0a${forged}`, `/${forged}%0A${forged}%1b[31m`]) {
    const request = [`GET ${target}?password=${marker} HTTP/1.1`, 'Host: localhost', 'Connection: close', '', ''];
    await exchange(demo.port, request.join('\r\n'));
  }
  await exchange(demo.port, `${marker} ${forged}\r\n${forged}\r\n\r\n`);
  return secrets;
}

/** Lists, refreshes and ends sessions, guesses once too often, and presents a refresh token that is long gone. */
async function useSessions(browser: Browser, account: object, keep: () => void): Promise<void> {
  await browser.get('/api/auth/sessions');
  await browser.delete('/api/auth/sessions/x');
  await browser.delete('/api/auth/sessions');
  const first = refreshTokenOf(browser);
  await browser.post('/api/auth/refresh');
  keep();
  await browser.post('/api/auth/refresh');
  keep();
  browser.cookies.set('app.ref', first);
  await browser.post('/api/auth/refresh');
  const guess = { email: `${marker}@example.com`, password: marker };
  for (let guesses = 0; guesses < 6; guesses += 1) await browser.post('/api/auth/signin', guess);
  await browser.post('/api/auth/signin', account);
}

async function sendOddHeaders(browser: Browser): Promise<void> {
  const headers = {
    authorization: `Bearer ${marker}`,
    cookie: `app.sid=${marker}; app.ref=${marker}; app.ref=${marker}2`,
    'user-agent': `\t${forged}`,
    'x-request-id': marker.slice(0, 7) + '\t' + forged,
    'x-forwarded-for': marker,
    referer: `http://localhost/?token=${marker}`,
  };
  await browser.send(`/api/auth/session?token=${marker}`, { headers });
  await browser.send(`/api/auth/signin?password=${marker}`, { method: 'POST', body: {}, headers });
  await browser.send('/api/auth/signout', { method: 'POST', headers });
  await browser.send('/api/auth/refresh', { method: 'POST', headers });
  await browser.delete('/api/auth/sessions/x', headers);
  await browser.send('/api/auth/signin', {
    method: 'POST',
    body: {},
    headers: { ...headers, origin: `http://${marker}` },
  });
}

function expectSilenceAbout(secrets: readonly string[], demo: DemoProcess): void {
  const output = demo.output();
  expect(output.split('\n').length).toBeGreaterThan(30);
  expect(secrets.length).toBeGreaterThan(6);
  expect([marker, ...secrets].filter((secret) => output.includes(secret))).toEqual([]);
  // No carriage return, no escape sequence, and no line break of a stranger.
  expect(output).not.toMatch(/(?!\n)\p{Cc}/u);
  expect(output).not.toMatch(new RegExp(`^${forged}`, 'm'));
}

function eventOf(line: string): unknown {
  const { event } = JSON.parse(line) as { readonly event?: string };
  return event;
}
