import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { get, getLast, open, startListening } from '../../support/listening-server.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { encodeRequest, exchange } from '../../support/wire.ts';

const soon = { headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 20 };

const json = { Connection: null, 'Content-Type': 'application/json' };

/** Requests that never arrive as a whole. */
const unfinished: readonly (readonly [string, string])[] = [
  ['no first line', 'GE'],
  ['half its headers', 'GET /api/auth/session HTTP/1.1\r\nHost: localhost:3000\r\nX-A: '],
  [
    'half its body',
    `${encodeRequest('POST /api/auth/signin', { headers: { ...json, 'Content-Length': '100' } })}{"a":`,
  ],
  [
    'half a chunked body',
    `${encodeRequest('POST /api/auth/signin', { headers: { ...json, 'Transfer-Encoding': 'chunked' } })}5\r\n{"a":\r\n`,
  ],
  [
    'half a body that is optional',
    `${encodeRequest('POST /api/auth/signout', { headers: { ...json, 'Content-Length': '100' } })}{`,
  ],
];

describe.each(unfinished)('a request of which %s arrives', (_what, request) => {
  it('is refused with 408 in the common error shape, and its connection is closed', async () => {
    const { port, inFlight } = await startListening(soon);
    const response = await exchange(port, request);
    expect(refusalOf(response)).toBe('REQUEST_TIMEOUT');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'no-store',
      connection: 'close',
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^[\w-]+$/),
    });
    await expect.poll(() => inFlight()).toMatchObject({ atWork: 0, connections: 0 });
  });
});

it('responds to a request that arrives in parts, but in time', async () => {
  const { port } = await startListening();
  const request = encodeRequest('GET /small/slow');
  const socket = connect(port, '127.0.0.1');
  for (const part of [request.slice(0, 10), request.slice(10, 30)]) {
    socket.write(part);
    expect((await exchange(port, getLast('/small/other'))).status).toBe(200);
  }
  socket.write(request.slice(30));
  expect(await text(socket)).toMatch(/^HTTP\/1.1 200/);
});

it('refuses a body that comes byte by byte', async () => {
  const { port } = await startListening(soon);
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  socket.write(encodeRequest('POST /api/auth/signin', { headers: { ...json, 'Content-Length': '1000' } }));
  // The response is read before the next byte is written: an answered connection takes no byte, and would lose the
  // answer.
  const drip = (): unknown => socket.bytesRead === 0 && socket.write('1');
  const dripping = setInterval(() => setImmediate(drip), 20);
  onTestFinished(() => clearInterval(dripping));
  expect(await text(socket)).toMatch(/^HTTP\/1.1 408 .*"REQUEST_TIMEOUT"/s);
});

it('refuses a body that its handler does not read yet, because it works on something else', async () => {
  const { port, release } = await startListening(soon);
  const response = await exchange(port, `${encodeRequest('POST /held', { headers: { 'Content-Length': '9' } })}1`);
  expect(refusalOf(response)).toBe('REQUEST_TIMEOUT');
  release();
});

it('refuses a body that is late while as many requests are at work as one caller may have', async () => {
  const { port, release, inFlight } = await startListening(soon);
  for (const socket of Array.from({ length: 64 }, () => open(port))) socket.write(get('/held'));
  await expect.poll(() => inFlight()).toMatchObject({ atWork: 64 });
  const headers = { ...json, 'Content-Length': '100' };
  const response = await exchange(port, `${encodeRequest('POST /api/auth/signin', { headers })}{"a":`);
  expect(refusalOf(response)).toBe('REQUEST_TIMEOUT');
  release();
});

it('serves other clients of a network while very many of its bodies are arriving', async () => {
  const { port, inFlight } = await startListening();
  const half = `${encodeRequest('POST /api/auth/signin', { headers: { ...json, 'Content-Length': '100' } })}{"a":`;
  for (const socket of Array.from({ length: 400 }, () => open(port))) socket.write(half);
  // At most as many requests as the limit of one caller start at once: fewer while the event loop is over its budget. Of
  // the others, 64 wait, and the older ones are refused.
  await expect.poll(() => inFlight()).toMatchObject({ waiting: 64 });
  expect(inFlight().atWork).toBeLessThanOrEqual(64);
  expect((await exchange(port, getLast('/small/one'))).status).toBe(200);
  const headers = { ...json, Connection: 'close', 'Content-Length': '2' };
  expect(refusalOf(await exchange(port, `${encodeRequest('POST /api/auth/signin', { headers })}{}`))).toBe(
    'VALIDATION_FAILED',
  );
});

it('responds to a pipelined request that does not arrive in time after the requests ahead of it', async () => {
  const { port, release, inFlight } = await startListening(soon);
  const socket = open(port);
  const late = `${encodeRequest('POST /api/auth/signin', { headers: { ...json, 'Content-Length': '100' } })}{"a":`;
  socket.write(get('/held') + get('/small/one') + late);
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(inFlight()).toMatchObject({ connections: 1 });
  release();
  expect((await text(socket)).match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 408']);
});

it('gives a request time to be worked on, however long that takes, once it has arrived', async () => {
  const { port, release } = await startListening({ ...soon, stallMs: 100 });
  const held = exchange(port, encodeRequest('GET /held'));
  await new Promise((resolve) => setTimeout(resolve, 700));
  release();
  expect((await held).status).toBe(200);
});

it('does not close a connection between two requests as late', async () => {
  const { port } = await startListening(soon);
  const socket = connect(port, '127.0.0.1');
  socket.write(get('/small/one'));
  await once(socket, 'data');
  await new Promise((resolve) => setTimeout(resolve, 700));
  socket.write(encodeRequest('GET /small/two'));
  expect(await text(socket)).toMatch(/^HTTP\/1.1 200/);
});
