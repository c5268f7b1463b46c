import { rules } from '@x/access';
import { defineEntity, defineModel, field, type ImportOutcome } from '@x/entity';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { get, type ListeningServer, mebibyte, open, startListening } from '../../support/listening-server.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { encodeRequest, exchange } from '../../support/wire.ts';

const soon = { headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 20 };

/** How long each record takes to create, and how many were. */
const work = { pauseMs: 0, created: 0 };

const rows = defineEntity({
  model: defineModel('rows', { fields: { number: field.integer(), text: field.text({ default: '' }) } }),
  access: {
    ...{ list: rules.public, get: rules.public, create: rules.public, update: false, delete: false },
    import: rules.public,
  },
  hooks: {
    before: {
      create: async () => {
        if (work.pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, work.pauseMs));
      },
    },
    afterCommit: { create: () => void (work.created += 1) },
  },
});

function start(bounds: object = {}, pauseMs = 0): Promise<ListeningServer> {
  Object.assign(work, { pauseMs, created: 0 });
  return startListening(bounds, { entities: [rows], engine: 'sqlite' });
}

const lines = { 'Content-Type': 'application/x-ndjson' };
const chunked = { ...lines, 'Transfer-Encoding': 'chunked' };
const toChunk = (line: string): string => `${Buffer.byteLength(line).toString(16)}\r\n${line}\r\n`;
const toLine = (number: number, length = 0): string => `${JSON.stringify({ number, text: 'x'.repeat(length) })}\n`;
const lineOf = (length: number) => (_: unknown, index: number) => toLine(index, length);

function openImport(port: number, headers: Readonly<Record<string, string>> = chunked): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  onTestFinished(() => void socket.destroy());
  socket.write(encodeRequest('POST /api/rows/import', { headers }));
  return socket;
}

/** Reads the response on a socket to its end. */
async function outcomeOf(socket: Socket): Promise<{ readonly status: string; readonly body: never }> {
  const response = await text(socket);
  const json = response.slice(response.indexOf('\r\n\r\n') + 4);
  return { status: response.slice(9, 12), body: JSON.parse(json) as never };
}

const countRows = async ({ server }: ListeningServer): Promise<number> => {
  const page = await server.entities.asSystem().list(rows, { limit: 1, count: true });
  return page.value?.total ?? -1;
};

it('takes as long as its records do, however long its client may take to send them', async () => {
  const { port } = await start(soon, 4);
  const body = Array.from({ length: 400 }, lineOf(9000)).join('');
  const startedAt = performance.now();
  const response = await exchange(port, encodeRequest('POST /api/rows/import', { body, headers: lines }));
  expect(response.body).toEqual({ created: 400, failed: [], resumeAfter: 400 });
  expect(performance.now() - startedAt).toBeGreaterThan(soon.requestTimeout * 2);
});

it.each(['after some lines', 'in the middle of a line'])(
  'ends with 408 where its client stops %s, and says how far it came',
  async (place) => {
    const listening = await start(soon);
    const socket = openImport(listening.port);
    socket.write(toChunk(toLine(1) + toLine(2) + (place.includes('middle') ? '{"num' : '')));
    const { status, body } = await outcomeOf(socket);
    const meta = { created: 2, failed: [], resumeAfter: 2 };
    expect([status, body]).toMatchObject(['408', { error: { code: 'REQUEST_TIMEOUT', meta } }]);
    await expect.poll(() => listening.inFlight()).toMatchObject({ atWork: 0, connections: 0 });
    expect(await countRows(listening)).toBe(2);
  },
);

it('ends with 408 for a client that sends byte by byte', async () => {
  const { port } = await start(soon);
  const socket = openImport(port, { ...lines, 'Content-Length': '100000' });
  const drip = (): unknown => socket.bytesRead === 0 && socket.write('\n');
  const dripping = setInterval(() => setImmediate(drip), 20);
  onTestFinished(() => clearInterval(dripping));
  const { status, body } = await outcomeOf(socket);
  expect([status, body]).toMatchObject(['408', { error: { code: 'REQUEST_TIMEOUT', meta: { created: 0 } } }]);
});

it('is read while it arrives, and as a whole, beside many requests of its network', async () => {
  const listening = await start();
  for (const socket of Array.from({ length: 80 }, () => open(listening.port))) socket.write(get('/held'));
  await expect.poll(() => listening.inFlight().atWork).toBe(80);
  const socket = openImport(listening.port);
  socket.write(toChunk(toLine(0)));
  await expect.poll(() => work.created).toBe(1);
  const many = Array.from({ length: 100 }, lineOf(9000));
  for (const line of many) socket.write(toChunk(line));
  socket.write('0\r\n\r\n');
  expect((await outcomeOf(socket)).body).toEqual({ created: 101, failed: [], resumeAfter: 101 });
  listening.release();
});

it('keeps the first lines of a client that goes, without a gap', async () => {
  const listening = await start({}, 1);
  const socket = openImport(listening.port);
  for (let number = 0; number < 500; number += 1) socket.write(toChunk(toLine(number, 9000)));
  await expect.poll(() => work.created).toBeGreaterThan(20);
  socket.destroy();
  await expect.poll(() => listening.inFlight().atWork).toBe(0);
  const count = await countRows(listening);
  const last = await listening.server.entities.asSystem().list(rows, { orderBy: 'number:desc', limit: 1 });
  expect(last.value?.items[0]?.number).toBe(count - 1);
  expect(count).toBeLessThan(500);
});

it('answers a client that it refuses before it has sent everything', async () => {
  const { port } = await start();
  const request = encodeRequest('POST /api/rows/import?x=1', { headers: { ...lines, 'Content-Length': '100000000' } });
  expect(refusalOf(await exchange(port, `${request}${toLine(1)}`))).toBe('INVALID_QUERY');
  const signOut = encodeRequest('POST /api/auth/signout', { headers: { ...lines, 'Content-Length': '100' } });
  expect(refusalOf(await exchange(port, `${signOut}{`))).toBe('UNSUPPORTED_MEDIA_TYPE');
});

it('reads 100 MB no faster than it creates the records', async () => {
  const listening = await start();
  const socket = openImport(listening.port);
  const [count, length] = [11_000, 9500];
  let mostAhead = 0;
  for (let number = 0; number < count; number += 1) {
    const isFull = !socket.write(toChunk(toLine(number, length)));
    mostAhead = Math.max(mostAhead, number - work.created);
    if (isFull) await once(socket, 'drain');
  }
  socket.write('0\r\n\r\n');
  const { body }: { readonly body: ImportOutcome } = await outcomeOf(socket);
  expect(body).toEqual({ created: count, failed: [], resumeAfter: count });
  // What sockets of this machine hold of it, and no more.
  expect(mostAhead * length).toBeLessThan(32 * mebibyte);
});
