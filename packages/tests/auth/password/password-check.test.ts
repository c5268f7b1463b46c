import type { AuthOptions } from '@x/auth';
import { CodedError } from '@x/errors';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createMailbox } from '../../support/mailbox.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import type { TestResponse } from '../../support/test-client.ts';
import { createTestServer } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

type Check = NonNullable<NonNullable<NonNullable<AuthOptions['emailPassword']>['password']>['check']>;

/** Refuses passwords that contain `breached`. */
const check = vi.fn<Check>((password) =>
  password.includes('breached') ? { code: 'breached', message: 'Known from a breach.' } : null,
);

/** A server with that check, on which Ada has an account and a token to reset her password. */
async function startServer() {
  check.mockClear();
  const mailbox = createMailbox();
  const { server, client } = await createTestServer({
    auth: { ...mailbox.auth, emailPassword: { password: { check } } },
  });
  const browser = client();
  await browser.post('/api/auth/signup', { ...ada, email: 'Ada@Example.com' });
  await browser.post('/api/auth/forgot-password', { email: ada.email });
  await server.auth.drain();
  const token = mailbox.mails.findLast(({ kind }) => kind === 'reset')?.token ?? '';
  check.mockClear();
  return { server, client, browser, token };
}

function issueOf({ status, body }: TestResponse): unknown {
  return [status, body.error.code, body.error.issues];
}

function breached(path: string): unknown {
  return [400, 'VALIDATION_FAILED', [{ path: [path], code: 'breached', message: 'Known from a breach.' }]];
}

describe("an app's own check of passwords", () => {
  it('is made wherever a password is set', async () => {
    const { client, browser, token } = await startServer();
    const signUp = { email: 'eve@example.com', password: 'a breached one' };
    expect(issueOf(await client().post('/api/auth/signup', signUp))).toEqual(breached('password'));
    const change = { currentPassword: ada.password, newPassword: 'a breached one' };
    expect(issueOf(await browser.post('/api/auth/change-password', change))).toEqual(breached('newPassword'));
    const reset = { token, password: 'a breached one' };
    expect(issueOf(await client().post('/api/auth/reset-password', reset))).toEqual(breached('password'));
    expect(check.mock.calls).toEqual([
      ['a breached one', { email: 'eve@example.com' }],
      ['a breached one', { email: ada.email }],
      ['a breached one', { email: ada.email }],
    ]);
    // The token was not consumed.
    const another = await client().post('/api/auth/reset-password', { token, password: 'a fine new one' });
    expect(another.status).toBe(200);
    expect((await client().post('/api/auth/signin', { ...ada, password: 'a fine new one' })).status).toBe(200);
  });

  it('is not made for passwords that are refused anyway, nor for a client that guesses tokens', async () => {
    const { client } = await startServer();
    await client().post('/api/auth/signup', { email: 'eve@example.com', password: 'short' });
    const guess = { token: 'A'.repeat(43), password: 'a breached one' };
    expect(refusalOf(await client().post('/api/auth/reset-password', guess))).toBe('TOKEN_INVALID');
    expect(refusalOf(await client().post('/api/auth/signin', { ...ada, password: 'a breached one' }))).toBe(
      'INVALID_CREDENTIALS',
    );
    expect(check).not.toHaveBeenCalled();
  });

  it('that throws fails the request, and sets nothing', async () => {
    const { client } = await startServer();
    const signUp = { email: 'eve@example.com', password: 'a fine new one' };
    check.mockRejectedValueOnce(new Error('the list is away'));
    expect(refusalOf(await client().post('/api/auth/signup', signUp))).toBe('INTERNAL_ERROR');
    check.mockRejectedValueOnce(new CodedError('SERVICE_UNAVAILABLE', 'Try again.', { retryAfter: 1 }));
    expect(refusalOf(await client().post('/api/auth/signup', signUp))).toBe('SERVICE_UNAVAILABLE');
    expect((await client().post('/api/auth/signup', signUp)).status).toBe(201);
  });
});

describe('the README check for breached passwords', () => {
  it('asks by the first five digits alone, and ignores padding', async () => {
    const isBreached = await importFromReadme();
    const digest = hash('sha1', 'password1').toUpperCase();
    const padded = hash('sha1', 'a fine new one').toUpperCase();
    const asked: (string | undefined)[] = [];
    const url = await startList((path) => {
      asked.push(path);
      return [`${'0'.repeat(35)}:3`, `${digest.slice(5)}:2254650`, `${padded.slice(5)}:0`].join('\r\n');
    });
    expect(await isBreached('password1', url)).toBe(true);
    expect(await isBreached('a fine new one', url)).toBe(false);
    expect(await isBreached('another', url)).toBe(false);
    expect(asked.slice(0, 2)).toEqual([`/range/${digest.slice(0, 5)}`, `/range/${padded.slice(0, 5)}`]);
  });

  it('lets passwords pass if the list does not answer', async () => {
    const isBreached = await importFromReadme();
    const url = await startList(() => null);
    expect(await isBreached('password1', url)).toBe(false);
    expect(await isBreached('password1', 'http://127.0.0.1:9/range/')).toBe(false);
  });
});

/** Serves a list of breached passwords; null is an error of the list. */
async function startList(respond: (path: string | undefined) => string | null): Promise<string> {
  const list = createServer(({ url }, response) => {
    const body = respond(url);
    response.writeHead(body === null ? 503 : 200).end(body ?? 'no');
  });
  await new Promise<void>((resolve) => list.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void list.close());
  return `http://127.0.0.1:${(list.address() as AddressInfo).port}/range/`;
}

/** Runs the README's own code. */
async function importFromReadme(): Promise<(password: string, list: string) => Promise<boolean>> {
  const readme = readFileSync(join(import.meta.dirname, '../../../auth/docs/passwords.md'), 'utf8');
  const blocks = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
  const code = blocks.find((block) => block.includes('export async function isBreached')) ?? '';
  const url = `data:text/javascript,${encodeURIComponent(stripTypeScriptTypes(code))}`;
  return (
    (await import(/* @vite-ignore */ url)) as { isBreached: (password: string, list: string) => Promise<boolean> }
  ).isBreached;
}
