import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
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

it('starts a request of a client with few in flight before those of one with many, over the budget', async () => {
  const { port, started, inFlight } = await startListening();
  const hostile = await Promise.all(Array.from({ length: 60 }, () => use(port, '127.0.0.2')));
  const polite = await use(port, '127.0.0.3');
  started.length = 0;
  let now = performance.now();
  // Each reading of the clock exceeds the budget of an event loop iteration.
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 10));
  onTestFinished(() => void vi.restoreAllMocks());
  const sent = [...hostile.map((socket) => send(socket, '/later/hostile')), send(polite, '/later/polite')];
  const responses = await Promise.all(sent);
  expect(responses.filter((response) => !response.startsWith('HTTP/1.1 200'))).toEqual([]);
  expect(started).toHaveLength(61);
  expect(started.indexOf('polite')).toBeLessThan(30);
  expect(inFlight()).toMatchObject({ atWork: 0, waiting: 0 });
});

it('starts all requests that arrive at once while the budget is not exceeded', async () => {
  const { port, started } = await startListening();
  const clients = await Promise.all(Array.from({ length: 500 }, (_, index) => use(port, `127.0.1.${index % 250}`)));
  started.length = 0;
  const responses = await Promise.all(clients.map((socket) => send(socket, '/small/one')));
  expect(responses.filter((response) => !response.startsWith('HTTP/1.1 200'))).toEqual([]);
  expect(started).toHaveLength(500);
});
