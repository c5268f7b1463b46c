import { appleProvider, callerOf } from '@x/auth';
import { errorHandler, requireSession } from '@x/server/express';
import { sessionOf, toNodeHandler } from '@x/server/node';
import { toUserId } from '@x/store';
import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, json, text } from 'node:stream/consumers';
import { createGunzip, gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { recordingLogger } from '../../support/recording-logger.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { sampleAccess } from '../../support/sample-access.ts';
import { TestClient } from '../../support/test-client.ts';
import { createTestServer, type TestServer, type TestServerOptions } from '../../support/test-server.ts';
import { generateKeys } from '../../support/token-forge.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

type ParsedRequest = IncomingMessage & { body?: unknown; originalUrl?: string };

it('serves the requests of an HTTP server of the app', async () => {
  const globals = [Request, Response];
  const { browser } = await startApp((test) => toNodeHandler(test.server));
  expect((await browser.post('/api/auth/signup', ada)).status).toBe(201);
  expect((await browser.get('/api/auth/session')).body.session).not.toBeNull();
  expect(refusalOf(await browser.get('/api/nothing'))).toBe('NOT_FOUND');
  expect((await browser.get('/healthz')).status).toBe(200);
  const head = await browser.send('/api/auth/session', { method: 'HEAD' });
  const got = await browser.get('/api/auth/session');
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(got.text.length)]);
  expect([Request, Response]).toEqual(globals);
});

it('uses the JSON that a parser has read before, and refuses bodies that it would refuse itself', async () => {
  const parsed: unknown[] = [];
  const { browser } = await startApp((test) => {
    const handle = toNodeHandler(test.server);
    return async (incoming: ParsedRequest, outgoing) => {
      if (Number(incoming.headers['content-length'] ?? 0) > 0) incoming.body = await json(incoming);
      else if (incoming.headers['content-length'] === '0')
        incoming.resume().on('end', () => handle(incoming, outgoing));
      parsed.push(incoming.body);
      if (incoming.headers['content-length'] !== '0') handle(incoming, outgoing);
    };
  });
  expect((await browser.post('/api/auth/signup', ada)).status).toBe(201);
  expect((await browser.post('/api/auth/refresh')).status).toBe(200);
  expect((await browser.post('/api/auth/refresh', undefined, { raw: '' })).status).toBe(200);
  expect((await browser.post('/api/auth/refresh', {})).status).toBe(200);
  expect(parsed).toContainEqual(ada);
  const hostile = await browser.post('/api/auth/signin', undefined, { raw: '{"email":"a","__proto__":{}}' });
  expect(refusalOf(hostile)).toBe('INVALID_JSON');
  const infinite = await browser.post('/api/auth/signin', undefined, { raw: '{"email":["a",-1e400]}' });
  expect(refusalOf(infinite)).toBe('INVALID_JSON');
  expect(infinite.body.error.issues?.map(({ path }) => path)).toEqual([['email', 1]]);
  expect(refusalOf(await browser.post('/api/auth/signin', [ada]))).toBe('VALIDATION_FAILED');
  const spelled = await browser.post('/api/auth/signin', ada, {
    headers: { 'content-type': 'Application/JSON; charset=UTF-8' },
  });
  expect(spelled.status).toBe(200);
});

it('uses bodies that other parsers have read, and refuses those that it would refuse itself', async () => {
  const { browser } = await startApp((test) => {
    const handle = toNodeHandler(test.server);
    return async (incoming: ParsedRequest, outgoing) => {
      const type = incoming.headers['content-type'] ?? '';
      if (type.startsWith('text/')) incoming.body = await text(incoming);
      else if (type.endsWith('urlencoded'))
        incoming.body = Object.fromEntries(new URLSearchParams(await text(incoming)));
      else incoming.body = await buffer(incoming);
      handle(incoming, outgoing);
    };
  });
  expect((await browser.post('/api/auth/signup', ada)).status).toBe(201);
  for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
    const options = { raw: 'email=ada', headers: { 'content-type': type } };
    expect(refusalOf(await browser.post('/api/auth/signin', undefined, options))).toBe('UNSUPPORTED_MEDIA_TYPE');
  }
});

it('uses an encoded body that a parser has decoded', async () => {
  const { browser } = await startApp((test) => {
    const handle = toNodeHandler(test.server);
    return async (incoming: ParsedRequest, outgoing) => {
      incoming.body = await json(incoming.pipe(createGunzip()));
      handle(incoming, outgoing);
    };
  });
  const options = {
    raw: gzipSync(JSON.stringify(ada)),
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  };
  expect((await browser.post('/api/auth/signup', undefined, options)).status).toBe(201);
});

it('takes a field that a form has twice as two, which is as good as none', async () => {
  const { privateKey } = generateKeys().pem;
  const apple = appleProvider({ clientId: 'app', teamId: 'team', keyId: 'key', privateKey });
  const auth = { providers: [apple], oauthEncryptionKey: 'any text will do, if nobody else has it' };
  const { browser } = await startApp(
    (test) => {
      const handle = toNodeHandler(test.server);
      return async (incoming: ParsedRequest, outgoing) => {
        const fields = new URLSearchParams(await text(incoming));
        const entries = [...new Set(fields.keys())].map((name) => [name, fields.getAll(name)] as const);
        incoming.body = Object.fromEntries(entries.map(([name, all]) => [name, all.length > 1 ? all : all[0]]));
        handle(incoming, outgoing);
      };
    },
    { auth },
  );
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const options = { raw: 'state=a&state=b&code=c', headers };
  const { status, headers: sent } = await browser.post('/api/auth/oauth/apple/callback', undefined, options);
  expect([status, sent.get('location')]).toEqual([303, '?code=c']);
});

it('says which code to move if a body was read and is lost', async () => {
  const { logger, lines } = recordingLogger();
  const { browser } = await startApp(
    (test) => {
      const handle = toNodeHandler(test.server);
      return async (incoming, outgoing) => {
        await json(incoming);
        handle(incoming, outgoing);
      };
    },
    { logger },
  );
  expect(refusalOf(await browser.post('/api/auth/signup?secret=1', ada))).toBe('INTERNAL_ERROR');
  const [line] = lines.filter(({ level }) => level === 'error');
  expect(String(line?.fields['err'])).toBe(
    'TypeError: The body of POST /api/auth/signup was read before: mount the server before any body parser.',
  );
});

it('serves the whole path where a router has cut off a part of it', async () => {
  const { browser } = await startApp((test) => {
    const handle = toNodeHandler(test.server);
    return (incoming: ParsedRequest, outgoing) => {
      incoming.originalUrl = incoming.url ?? '';
      incoming.url = incoming.originalUrl.replace('/api', '');
      handle(incoming, outgoing);
    };
  });
  expect((await browser.post('/api/auth/signup', ada)).status).toBe(201);
});

it('passes on, untouched, what is not for the server, if there is something to pass it on to', async () => {
  const passed: unknown[] = [];
  const { browser } = await startApp((test) => {
    const handle = toNodeHandler(test.server);
    return (incoming: ParsedRequest, outgoing) => {
      incoming.originalUrl = incoming.url ?? '';
      incoming.url = incoming.originalUrl.replace('/api', '');
      handle(incoming, outgoing, () => {
        void json(incoming).then((body) => {
          passed.push([incoming.method, incoming.url, body]);
          outgoing.end();
        });
      });
    };
  });
  expect((await browser.post('/api/reports', ada)).status).toBe(200);
  expect(passed).toEqual([['POST', '/reports', ada]]);
  expect((await browser.post('/api/auth/signup', ada)).status).toBe(201);
  expect(refusalOf(await browser.send('/api/auth/nothing', { method: 'DELETE' }))).toBe('NOT_FOUND');
  expect((await browser.send('/healthz', { method: 'HEAD' })).status).toBe(200);
  expect(passed).toHaveLength(1);
});

it('gives the pages of the app the session, refreshed in time, and takes no write from elsewhere', async () => {
  const { browser, test } = await startApp(
    ({ server }) => {
      const handle = toNodeHandler(server);
      return (incoming, outgoing) => {
        if (incoming.url?.startsWith('/api/')) return handle(incoming, outgoing);
        outgoing.appendHeader('Set-Cookie', 'own=1').setHeader('Content-Type', 'application/json');
        return sessionOf(server, incoming, outgoing).then(
          (session) => outgoing.end(JSON.stringify({ seen: session?.user.email ?? null })),
          (error: { status: number; code: string }) =>
            outgoing.writeHead(error.status).end(JSON.stringify({ error: { code: error.code } })),
        );
      };
    },
    { auth: { session: { strategy: 'jwt', algorithm: 'ES256', cookie: { refreshPath: '/' } } } },
  );
  expect((await browser.get('/')).body).toEqual({ seen: null });
  await browser.post('/api/auth/signup', ada);
  for (let page = 0; page < 5; page++) {
    test.clock.advance(61_000);
    const pages = await Promise.all(Array.from({ length: 4 }, () => browser.get('/page')));
    expect(pages.map(({ body }) => body)).toEqual(Array.from({ length: 4 }, () => ({ seen: ada.email })));
    expect(browser.cookies.get('own')).toBe('1');
  }
  expect((await browser.post('/page')).body).toEqual({ seen: ada.email });
  const foreign = { headers: { origin: 'https://evil.example' } };
  expect((await browser.post('/page', undefined, foreign)).body).toEqual({ error: { code: 'CSRF_FAILED' } });
});

it('guards the routes of an app in Express, whose refusals have the one error shape', async () => {
  const project = { type: 'project', id: 'apollo' };
  const { browser, test } = await startApp(
    ({ server }) => {
      const handle = toNodeHandler(server);
      const report = async (...[incoming, outgoing]: Parameters<RequestListener>): Promise<void> => {
        const session = await requireSession(server, incoming, outgoing);
        await server.access?.contextFor(callerOf(session)).authorize('project:read', project);
        outgoing.end(`For ${session.user.email}`);
      };
      // As Express does, it gives what a handler throws to the middleware for errors.
      return (incoming, outgoing) =>
        handle(incoming, outgoing, () => {
          void report(incoming, outgoing).catch((error: unknown) =>
            errorHandler(error, incoming, outgoing, () => outgoing.writeHead(500).end()),
          );
        });
    },
    {
      access: sampleAccess,
      auth: { session: { strategy: 'jwt', algorithm: 'ES256', cookie: { refreshPath: '/' } } },
    },
  );
  const visited = await browser.get('/report');
  expect([visited.status, visited.body]).toEqual([
    401,
    { error: { code: 'UNAUTHENTICATED', message: 'You are not signed in.' } },
  ]);
  const userId = toUserId((await browser.post('/api/auth/signup', ada)).body.user.id);
  const denied = await browser.get('/report');
  expect([denied.status, denied.body.error]).toMatchObject([403, { code: 'FORBIDDEN', reasons: ['role_required'] }]);
  await test.server.stores.roleAssignments.assign({ userId, resource: project, role: 'viewer' });
  test.clock.advance(61_000);
  expect((await browser.get('/report')).text).toBe(`For ${ada.email}`);
  const foreign = { headers: { origin: 'https://evil.example' } };
  expect(refusalOf(await browser.post('/report', undefined, foreign))).toBe('CSRF_FAILED');
});

/** Starts an HTTP server of an app that has a server of ours in it. */
async function startApp(
  createListener: (test: TestServer) => (...request: Parameters<RequestListener>) => unknown,
  options: TestServerOptions = {},
): Promise<{ readonly browser: TestClient; readonly test: TestServer }> {
  const test = await createTestServer(options);
  const listener = createListener(test);
  const http = createHttpServer((...request) => void listener(...request)).listen(0, '127.0.0.1');
  await new Promise((resolve) => http.once('listening', resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const { port } = http.address() as AddressInfo;
  // Its `baseUrl` is not this port, so requests name it as their origin.
  const atPort = (request: Request): Promise<Response> =>
    fetch(request.url.replace('http://localhost:3000', `http://127.0.0.1:${port}`), {
      method: request.method,
      headers: request.headers,
      body: request.body && request.clone().body,
      duplex: 'half',
      redirect: 'manual',
    } as RequestInit);
  return { browser: new TestClient('http://localhost:3000', atPort), test };
}
