import { connect } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { parseEnv } from '../../src/env.ts';
import { startDemo as startInProcess } from '../../src/start-demo.ts';
import { newAccount, password } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { query } from '../support/database-file.ts';
import { type DemoProcess, startDemo } from '../support/demo-process.ts';
import { makeRsaPair } from '../support/key-pairs.ts';
import { openSocket, type RawSocket, statusesOf } from '../support/raw-socket.ts';
import { makeFolder } from '../support/temporary-folder.ts';

it.each(['SIGTERM', 'SIGINT'] as const)('completes everything in flight at a %s, then exits', async (signal) => {
  const folder = makeFolder();
  const demo = await startDemo({ folder });
  const clients = await Promise.all(Array.from({ length: 40 }, () => openSocket(demo.port)));
  for (const client of clients) client.send(getHealth);
  await Promise.all(clients.map((client) => client.receive(/"ok"/)));
  for (const client of clients) client.send(postJson(demo, '/api/auth/signup', newAccount()));
  await Promise.race(clients.map((client) => client.receive(/HTTP\/1\.1 201 /)));

  demo.signal(signal);
  const answers = await Promise.all(clients.map(({ ended }) => ended));
  expect(await demo.ended).toEqual({ code: 0, signal: null });
  expect(answers.map(statusesOf)).toEqual(clients.map(() => [200, 201]));
  expect(query(join(folder, '.data/demo.db'), 'SELECT COUNT(*) AS users FROM auth_users')).toEqual([{ users: 40 }]);
});

it('responds to what had arrived before a SIGTERM, though not read yet', async () => {
  const demo = await startDemo({ folder: makeFolder() });
  demo.signal('SIGSTOP');
  const clients = await Promise.all(Array.from({ length: 40 }, () => openSocket(demo.port)));
  for (const client of clients) client.send(getHealth);
  demo.signal('SIGTERM');
  demo.signal('SIGCONT');
  const answers = await Promise.all(clients.map(({ ended }) => ended));
  expect(answers.map(statusesOf)).toEqual(clients.map(() => [200]));
  expect(await demo.ended).toEqual({ code: 0, signal: null });
});

it('refuses new connections while it waits for requests in flight', async () => {
  const demo = await startDemo({ folder: makeFolder() });
  const { client, rest } = await startSlowSignUp(demo);
  demo.signal('SIGTERM');
  await saysThatItStops(demo);
  // One that came in between is reset or closed, not refused.
  await vi.waitFor(async () => expect(await connectError(demo.port)).toBe('ECONNREFUSED'), { timeout: 30_000 });
  client.send(rest);
  const answer = await client.ended;
  expect(statusesOf(answer)).toEqual([201]);
  expect(answer).toMatch(/^connection: close\r$/im);
  expect(await demo.ended).toEqual({ code: 0, signal: null });
});

it('does not wait for connections without a complete request', async () => {
  const demo = await startDemo({ folder: makeFolder() });
  const keptAlive = await openSocket(demo.port);
  keptAlive.send(getHealth);
  await keptAlive.receive(/"ok"/);
  // Browsers open connections ahead of need.
  const silent = await openSocket(demo.port);
  const refused = await Promise.all(
    ['NOT HTTP\r\n\r\n', 'CONNECT example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n'].map(async (request) => {
      const client = await openSocket(demo.port, { allowHalfOpen: true });
      client.send(request);
      await client.receive(/\}$/);
      return client;
    }),
  );
  expect(await demo.stop()).toEqual({ code: 0, signal: null });
  for (const client of [keptAlive, silent, ...refused]) client.socket.destroy();
});

it('stops although clients keep sending requests', async () => {
  // A refusal by a limit is so quick that a connection has moments without a request under way.
  const demo = await startDemo({ folder: makeFolder(), variables: { RATE_LIMIT_FACTOR: '1000' } });
  const clients = await Promise.all(Array.from({ length: 4 }, () => openSocket(demo.port)));
  for (const client of clients) askForMore(client, postJson(demo, '/api/auth/signin', newAccount()));
  await Promise.all(clients.map((client) => client.receive(/INVALID_CREDENTIALS/)));
  expect(await demo.stop()).toEqual({ code: 0, signal: null });
  const answers = await Promise.all(clients.map(({ ended }) => ended));
  for (const text of answers) {
    expect(text).toMatch(/^connection: close\r\n(?!.*HTTP\/1\.1).*\}\}$/ims);
  }
});

it('stops at once at a second signal', async () => {
  const demo = await startDemo({ folder: makeFolder() });
  const { client } = await startSlowSignUp(demo);
  demo.signal('SIGTERM');
  await saysThatItStops(demo);
  demo.signal('SIGTERM');
  expect(await demo.ended).toEqual({ code: 1, signal: null });
  expect(await client.ended).toBe('');
});

it('can be stopped twice', async () => {
  const { privateKey, publicKey } = makeRsaPair();
  const variables = { PORT: '0', DATABASE_URL: 'memory:', ENCRYPTION_KEY: password };
  const env = parseEnv({ ...variables, JWT_PRIVATE_KEY: privateKey, JWT_PUBLIC_KEY: publicKey });
  const demo = await startInProcess(env, pino({ level: 'silent' }));
  expect((await new Browser(demo.url).get('/readyz')).status).toBe(200);
  await Promise.all([demo.stop(), demo.stop()]);
  await demo.stop();
  // A program that a test beside this one starts inherits the open port for a moment, until its own code is loaded.
  await vi.waitFor(async () => expect(await connectError(demo.port)).toBe('ECONNREFUSED'), { timeout: 30_000 });
});

const getHealth = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';

function postJson({ origin }: DemoProcess, path: string, value: object): string {
  const body = JSON.stringify(value);
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    `Origin: ${origin}`,
    'X-APP-Request: 1',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  return [...lines, '', body].join('\r\n');
}

/** Sends a sign-up but for its last bytes, and makes sure that the server works on it. */
async function startSlowSignUp(demo: DemoProcess): Promise<{ client: RawSocket; rest: string }> {
  const client = await openSocket(demo.port);
  const request = postJson(demo, '/api/auth/signup', newAccount());
  client.send(request.slice(0, -10));
  // A later connection is answered after the earlier one was read.
  await new Browser(demo.origin).get('/healthz');
  return { client, rest: request.slice(-10) };
}

async function saysThatItStops(demo: DemoProcess): Promise<void> {
  while (!demo.output().includes('stopping')) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Always has eight requests under way, so that the connection is never idle. */
function askForMore(client: RawSocket, request: string): void {
  client.send(request.repeat(8));
  client.socket.on('data', (text: string) => client.send(request.repeat(statusesOf(text).length)));
}

/** Connects, and returns the code of the error; null if the server accepts the connection, and closes it later. */
function connectError(port: number): Promise<string | null> {
  const socket = connect(port, '127.0.0.1').resume();
  return once(socket, 'close').then(
    () => null,
    (error: NodeJS.ErrnoException) => error.code ?? null,
  );
}
