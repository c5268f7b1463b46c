import { expect, it } from 'vitest';
import everything from '../../src/openapi.ts';
import { newAccount } from '../support/accounts.ts';
import { type Answer, Browser, type BrowserRequest } from '../support/browser.ts';
import { startHere } from '../support/demo-in-process.ts';

/** Every route of the demo under `/api/auth`, and its answer to a client that is not signed in and sends `{}`. */
const routes: readonly (readonly [line: string, answer: string])[] = [
  ['POST /signup', '400 VALIDATION_FAILED'],
  ['POST /signin', '400 VALIDATION_FAILED'],
  ['POST /signout', '200'],
  ['GET /session', '200'],
  ['POST /refresh', '401 SESSION_EXPIRED'],
  ['GET /sessions', '401 UNAUTHENTICATED'],
  ['DELETE /sessions', '401 UNAUTHENTICATED'],
  ['DELETE /sessions/x', '401 UNAUTHENTICATED'],
  ['GET /.well-known/jwks.json', '200'],
  ['GET /providers', '200'],
  ['POST /verify-email', '400 VALIDATION_FAILED'],
  ['POST /resend-verification', '401 UNAUTHENTICATED'],
  ['POST /forgot-password', '400 VALIDATION_FAILED'],
  ['POST /reset-password', '400 VALIDATION_FAILED'],
  ['POST /change-password', '401 UNAUTHENTICATED'],
  ['POST /change-email', '401 UNAUTHENTICATED'],
  ['GET /oauth/google', '302'],
  ['GET /oauth/github', '302'],
  ['GET /oauth/discord', '302'],
  ['POST /oauth/google/link', '401 UNAUTHENTICATED'],
  ['GET /oauth/google/callback', '302'],
  ['GET /oauth-accounts', '401 UNAUTHENTICATED'],
  ['DELETE /oauth-accounts/google', '401 UNAUTHENTICATED'],
  ['POST /mfa/setup', '401 UNAUTHENTICATED'],
  ['POST /mfa/verify-setup', '401 UNAUTHENTICATED'],
  ['POST /mfa/challenge', '401 SESSION_EXPIRED'],
  ['POST /mfa/step-up', '401 UNAUTHENTICATED'],
  ['POST /mfa/disable', '401 UNAUTHENTICATED'],
  ['POST /mfa/backup-codes', '401 UNAUTHENTICATED'],
  ['GET /mfa/status', '401 UNAUTHENTICATED'],
  ['GET /access-set', '401 UNAUTHENTICATED'],
  ['GET /tenants', '401 UNAUTHENTICATED'],
  ['POST /switch-tenant', '401 UNAUTHENTICATED'],
  ['GET /events', '401 UNAUTHENTICATED'],
  ['POST /confirm', '401 UNAUTHENTICATED'],
  ['DELETE /account', '401 UNAUTHENTICATED'],
];

/** Paths without a route: the demo has no such providers. */
const nowhere = [
  ...['', '/', '/nothing', '/session/', '/Session', '/oauth', '/oauth/nobody', '/mfa'],
  ...['/oauth/nobody/callback', '/oauth/nobody/link', '/oauth/__proto__', '/oauth/constructor/callback'],
];

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const table = routes.map(([line, expected]) => {
  const [method = '', path = ''] = line.split(' ');
  return { line, method, path, expected, body: method === 'GET' ? undefined : {} };
});

const writes = table.filter(({ method }) => method !== 'GET');

/** Each has a flaw of its own and those of the later ones, so that together they show the order of the checks. */
const flawed: readonly (readonly [expected: string, request: BrowserRequest])[] = [
  [
    '413 PAYLOAD_TOO_LARGE',
    { body: '['.repeat(262_145), headers: toHeaders('text/plain', 'https://evil.example.com') },
  ],
  ['403 CSRF_FAILED', { body: '[', headers: toHeaders('text/plain', 'https://evil.example.com') }],
  ['415 UNSUPPORTED_MEDIA_TYPE', { body: '[', headers: toHeaders('text/plain') }],
  ['400 INVALID_JSON', { body: '[', headers: toHeaders('application/json') }],
];

/** The headers that show that a request comes from a page of the demo, spoiled in one way each. */
const foreign: readonly (readonly [what: string, headers: Headers])[] = [
  ['no X-APP-Request', { 'x-app-request': null }],
  ['another X-APP-Request', { 'x-app-request': 'true' }],
  ['neither Origin nor Referer', { origin: null }],
  ['a foreign Origin', { origin: 'https://evil.example.com' }],
  ['the Origin null', { origin: 'null' }],
  ['a foreign Referer', { origin: null, referer: 'https://evil.example.com/' }],
  ['another site', { 'sec-fetch-site': 'cross-site' }],
];

type Headers = NonNullable<BrowserRequest['headers']>;

function toHeaders(type: string, origin?: string): Headers {
  return { 'content-type': type, ...(origin !== undefined && { origin }) };
}

/** A demo that no client asks too often. */
const start = (): Promise<string> => startHere({ RATE_LIMIT_FACTOR: '1000' });

/** Sends a request under `/api/auth`; each answer has to have the headers of every answer there. */
async function ask(browser: Browser, path: string, request: BrowserRequest): Promise<Answer> {
  const answer = await browser.send(`/api/auth${path}`, request);
  expect(Object.fromEntries(answer.headers), `${request.method} ${path}`).toMatchObject({
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(/./),
  });
  expect(answer.text, `${request.method} ${path}`).toSatisfy(
    () => answer.status < 400 || request.method === 'HEAD' || isOneError(answer.body),
  );
  return answer;
}

/** The one shape that errors have. */
function isOneError(body: Answer['body']): boolean {
  const { code, message } = body.error;
  return Object.keys(body).length === 1 && /^[A-Z_]+$/.test(code) && typeof message === 'string' && message !== '';
}

function outcomeOf({ status, body }: Answer): string {
  return status < 400 ? String(status) : `${status} ${body.error.code}`;
}

/** Asks for every row of a table, and returns what came of each. */
async function outcomes<Row extends { readonly line: string }>(
  rows: readonly Row[],
  send: (row: Row) => Promise<string>,
): Promise<Readonly<Record<string, string>>> {
  const answered: Record<string, string> = {};
  for (const row of rows) answered[row.line] = await send(row);
  return answered;
}

/** Spells what one answer to every row looks like. */
function everyOne(rows: readonly { readonly line: string }[], outcome: string): Readonly<Record<string, string>> {
  return Object.fromEntries(rows.map(({ line }) => [line, outcome]));
}

it('knows every route that auth declares', () => {
  const listed = new Set(table.map(({ method, path }) => `${method} ${toTemplate(path)}`));
  const declared = everything.auth?.routes.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  expect([...listed].toSorted()).toEqual(declared?.toSorted());
});

/** Replaces the values in a path of {@link routes} with the names of their parameters. */
function toTemplate(path: string): string {
  return path.replace(/(?<=^\/(oauth|oauth-accounts)\/)[^/]+/, ':provider').replace(/(?<=^\/sessions\/)x$/, ':id');
}

/** Matches the paths of the same route. */
function toPattern(path: string): RegExp {
  return new RegExp(`^${toTemplate(path).replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`);
}

it('responds to a signed-out client as the contract says, on every route', async () => {
  const origin = await start();
  const answered = await outcomes(table, async ({ method, path, body }) =>
    outcomeOf(await ask(new Browser(origin), path, { method, body })),
  );
  expect(answered).toEqual(Object.fromEntries(table.map(({ line, expected }) => [line, expected])));
});

it('neither fails for a signed-in user nor treats them as signed out, on any route', async () => {
  const origin = await start();
  for (const { method, path, body } of table) {
    const browser = new Browser(origin);
    await browser.post('/api/auth/signup', newAccount());
    const answer = await ask(browser, path, { method, body });
    expect(outcomeOf(answer), `${method} ${path}`).not.toMatch(/UNAUTHENTICATED|^5/);
  }
});

it.each(foreign)('writes nothing for %s, also of a signed-in user, on any route', async (_what, headers) => {
  const origin = await start();
  const browser = new Browser(origin);
  await browser.post('/api/auth/signup', newAccount());
  const cookies = [...browser.cookies];
  const answered = await outcomes(writes, async ({ method, path, body }) => {
    const answer = await ask(browser, path, { method, body, headers });
    expect(answer.headers.getSetCookie()).toEqual([]);
    return outcomeOf(answer);
  });
  expect(answered).toEqual(everyOne(writes, '403 CSRF_FAILED'));
  expect([...browser.cookies]).toEqual(cookies);
  expect((await browser.get('/api/auth/sessions')).body.sessions).toHaveLength(1);
});

it.each(flawed)(
  'checks %s before everything that comes later, and before who is signed in',
  async (expected, request) => {
    const origin = await start();
    const answered = await outcomes(writes, async ({ method, path }) =>
      outcomeOf(await ask(new Browser(origin), path, { method, ...request })),
    );
    // A route that takes no input looks at a body only after it knows the caller.
    const isAboutBody = expected.startsWith('415') || expected.endsWith('INVALID_JSON');
    const first = (row: (typeof table)[number]): string => (isAboutBody && needsNoBody(row) ? row.expected : expected);
    expect(answered).toEqual(Object.fromEntries(writes.map((row) => [row.line, first(row)])));
  },
);

/** Says whether a route is for a signed-in user and takes no input. */
function needsNoBody({ method, path, expected }: (typeof table)[number]): boolean {
  const template = `${method} ${toTemplate(path)}`;
  const route = everything.auth?.routes.find((each) => `${each.method.toUpperCase()} ${each.path}` === template);
  return expected === '401 UNAUTHENTICATED' && route?.input === undefined;
}

it('refuses a signed-out client before it checks the shape of the body', async () => {
  const origin = await start();
  const forUsers = table.filter(({ expected }) => expected.startsWith('401') && !expected.endsWith('EXPIRED'));
  const answered = await outcomes(forUsers, async ({ method, path }) => {
    const request = method === 'GET' ? { method } : { method, body: [] };
    return outcomeOf(await ask(new Browser(origin), `${path}?limit=x&limit=y`, request));
  });
  expect(answered).toEqual(everyOne(forUsers, '401 UNAUTHENTICATED'));
});

it('responds to another method with those that the path allows, before it checks anything else', async () => {
  const browser = new Browser(await start());
  const headers = { origin: 'https://evil.example.com' };
  for (const path of new Set(table.map((row) => row.path))) {
    const own = new Set(table.filter((row) => toPattern(row.path).test(path)).map(({ method }) => method));
    const allowed = [...own].flatMap((method) => (method === 'GET' && !hasEffects(path) ? ['GET', 'HEAD'] : [method]));
    for (const method of [...methods, 'HEAD'].filter((each) => !allowed.includes(each))) {
      const answer = await ask(browser, path, { method, headers, ...(method === 'POST' && { body: '[' }) });
      expect([path, method, answer.status]).toEqual([path, method, 405]);
      expect(answer.headers.get('allow')?.split(', ').toSorted()).toEqual(allowed.toSorted());
    }
  }
});

it('responds 404 to every method of an unknown path, before it checks anything else', async () => {
  const browser = new Browser(await start());
  const headers = { origin: 'https://evil.example.com' };
  for (const path of nowhere) {
    for (const method of methods) {
      expect(outcomeOf(await ask(browser, path, { method, headers })), `${method} ${path}`).toBe('404 NOT_FOUND');
    }
  }
});

it('responds to HEAD as to GET, without a body, unless the GET has effects', async () => {
  const origin = await start();
  for (const { path, expected } of table.filter(({ method }) => method === 'GET')) {
    const answer = await ask(new Browser(origin), path, { method: 'HEAD' });
    const status = hasEffects(path) ? '405' : expected.slice(0, 3);
    expect([path, String(answer.status), answer.text]).toEqual([path, status, '']);
  }
});

/** Says whether the GET of a path starts or ends a flow with a provider. */
function hasEffects(path: string): boolean {
  return /^\/oauth\/[^/?]+(\/callback)?(\?|$)/.test(path);
}
