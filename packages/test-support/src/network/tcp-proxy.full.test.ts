import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

it('passes bytes and the end of a connection in both directions', async () => {
  const proxy = await startEchoProxy();
  const socket = await open(proxy);
  expect(await echo(socket, 'pear')).toBe('pear');
  expect(proxy.openConnections).toBe(1);
  socket.end();
  await once(socket, 'close');
  await expect.poll(() => proxy.openConnections).toBe(0);
});

it('resets open connections and refuses new ones from a cut until it is restored', async () => {
  const proxy = await startEchoProxy();
  const socket = await open(proxy);
  const reset = errorOf(socket);
  await proxy.cut();
  expect(await reset).toMatchObject({ code: 'ECONNRESET' });
  await expect(open(proxy)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await proxy.restore();
  expect(await echo(await open(proxy), 'plum')).toBe('plum');
});

it('delays old and new connections during a stall, and passes everything when it ends', async () => {
  const proxy = await startEchoProxy();
  const early = await open(proxy);
  await echo(early, 'pear');
  proxy.stall();
  const late = await open(proxy);
  const echoes = Promise.all([echo(early, 'plum'), echo(late, 'fig')]);
  expect(await Promise.race([echoes, sleep(50, 'nothing')])).toBe('nothing');
  expect(proxy.openConnections).toBe(2);
  await proxy.restore();
  expect(await echoes).toEqual(['plum', 'fig']);
});

it('delays each direction, and lets chunks wait side by side', async () => {
  const proxy = await startEchoProxy();
  const socket = await open(proxy);
  proxy.delay(100);
  const startedAt = performance.now();
  const echoed = readBytes(socket, 10);
  for (const letter of 'abcdefghij') {
    socket.write(letter);
    await sleep(5);
  }
  expect(await echoed).toBe('abcdefghij');
  expect(performance.now() - startedAt).toBeGreaterThan(195);
});

it('resets killed connections while it accepts new ones', async () => {
  const proxy = await startEchoProxy();
  const reset = errorOf(await open(proxy));
  proxy.killConnections();
  expect(await reset).toMatchObject({ code: 'ECONNRESET' });
  expect(await echo(await open(proxy), 'plum')).toBe('plum');
  expect(proxy.openConnections).toBe(1);
});

it('keeps forgotten connections silent on both sides while it accepts new ones', async () => {
  const proxy = await startEchoProxy();
  const early = await open(proxy);
  await echo(early, 'pear');
  proxy.forgetConnections();
  const heard = Promise.race([once(early, 'close'), echo(early, 'plum')]);
  expect(await echo(await open(proxy), 'fig')).toBe('fig');
  expect(await Promise.race([heard, sleep(50, 'nothing')])).toBe('nothing');
});

async function startEchoProxy(): Promise<TcpProxy> {
  const server = createServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = await startTcpProxy({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  onTestFinished(async () => {
    await proxy[Symbol.asyncDispose]();
    server.close();
  });
  return proxy;
}

/** Opens a connection that has reached the proxy: the system alone would accept it earlier. */
async function open(proxy: TcpProxy): Promise<Socket> {
  const before = proxy.openConnections;
  const socket = connect({ host: '127.0.0.1', port: proxy.port });
  await once(socket, 'connect');
  // The end of the test resets it.
  socket.on('error', () => {});
  await expect.poll(() => proxy.openConnections, { interval: 1 }).toBe(before + 1);
  return socket;
}

async function echo(socket: Socket, word: string): Promise<string> {
  socket.write(word);
  return readBytes(socket, word.length);
}

async function readBytes(socket: Socket, count: number): Promise<string> {
  let read = '';
  while (read.length < count) read += String((await once(socket, 'data'))[0]);
  return read;
}

async function errorOf(socket: Socket): Promise<unknown> {
  const [error] = await once(socket, 'error');
  return error;
}
