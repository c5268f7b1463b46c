import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { ownTurn } from '@x/http/loop-turns';
import { expect, it, onTestFinished, vi } from 'vitest';
import { get, getLast, startListening } from '../../support/listening-server.ts';

/** Opens a connection from an address of this machine, and waits until it has been used once. */
async function use(port: number, localAddress: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.write(get('/small/first'));
  await once(socket, 'data');
  return socket;
}

function send(socket: Socket, path: string): Promise<string> {
  socket.write(getLast(path));
  return text(socket);
}

it('begins a request of each client in turn when there is more to do than fits into a moment', async () => {
  const { port, begun, inFlight } = await startListening();
  const hostile = await Promise.all(Array.from({ length: 200 }, () => use(port, '127.0.0.2')));
  const polite = await use(port, '127.0.0.3');
  begun.length = 0;
  const sent = hostile.map((socket) => send(socket, '/busy/hostile'));
  await expect.poll(() => begun.length, { interval: 1 }).toBeGreaterThan(0);
  await send(polite, '/busy/polite');
  // Each takes 5 ms, so together they take a second.
  expect(begun.indexOf('polite')).toBeLessThan(50);
  const responses = await Promise.all(sent);
  expect(responses.every((response) => response.startsWith('HTTP/1.1 200'))).toBe(true);
  expect(begun).toHaveLength(201);
  expect(inFlight().atWork).toEqual({ signedIn: 0, anonymous: 0, callers: 0, networks: 0 });
});

it('begins all that come at once if they take no time', async () => {
  const { port, begun } = await startListening();
  const clients = await Promise.all(Array.from({ length: 500 }, (_, index) => use(port, `127.0.1.${index % 250}`)));
  begun.length = 0;
  const responses = await Promise.all(clients.map((socket) => send(socket, '/small/one')));
  expect(responses.every((response) => response.startsWith('HTTP/1.1 200'))).toBe(true);
  expect(begun).toHaveLength(500);
});

it('begins all that wait where each turn is late, as on a machine that others use', async () => {
  const { port, begun } = await startListening();
  const clients = await Promise.all(Array.from({ length: 20 }, () => use(port, '127.0.0.2')));
  begun.length = 0;
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 10));
  onTestFinished(() => void vi.restoreAllMocks());
  const responses = await Promise.all(clients.map((socket) => send(socket, '/small/one')));
  expect(responses.every((response) => response.startsWith('HTTP/1.1 200'))).toBe(true);
  expect(begun).toHaveLength(20);
});

it('begins a request of a client with little at work before those of clients with more', async () => {
  const { port, begun } = await startListening();
  const addresses = Array.from({ length: 20 }, (_, index) => `127.0.1.${index + 1}`);
  const holding = await Promise.all(addresses.flatMap((address) => [1, 2, 3, 4].map(() => use(port, address))));
  const busy = await Promise.all(addresses.flatMap((address) => [1, 2, 3, 4, 5].map(() => use(port, address))));
  const polite = await use(port, '127.0.0.3');
  begun.length = 0;
  for (const socket of holding) socket.write(getLast('/held'));
  const sent = busy.map((socket) => send(socket, '/busy/hostile'));
  await expect.poll(() => begun.length, { interval: 1 }).toBeGreaterThan(0);
  const ahead = begun.length;
  await send(polite, '/busy/polite');
  expect(begun.indexOf('polite') - ahead).toBeLessThan(10);
  await Promise.all(sent);
});

it('begins a request of a client with little at work between the long steps of others', async () => {
  const { port, begun } = await startListening();
  const hostile = await Promise.all(Array.from({ length: 100 }, () => use(port, '127.0.0.2')));
  const polite = await use(port, '127.0.0.3');
  begun.length = 0;
  let steps = 0;
  const stepping = Array.from({ length: 100 }, async () => {
    await ownTurn();
    steps += 1;
    const endsAt = performance.now() + 5;
    while (performance.now() < endsAt);
  });
  const sent = hostile.map((socket) => send(socket, '/busy/hostile'));
  await send(polite, '/busy/polite');
  expect(steps).toBeLessThan(20);
  await Promise.all([...stepping, ...sent]);
  expect(begun).toHaveLength(101);
});
