import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { get, getLast, mebibyte, open, startListening } from '../../support/listening-server.ts';
import { exchange } from '../../support/wire.ts';

const nothing = { signedIn: 0, anonymous: 0, callers: 0, networks: 0 };

it('begins each pipelined request when the response before it was sent', async () => {
  const { port, begun, inFlight, release } = await startListening();
  const socket = open(port);
  socket.write(get('/held') + get('/small/one') + getLast('/small/two'));
  await expect.poll(() => inFlight().pipelined).toBe(2);
  expect(begun).toEqual([]);
  release();
  const names = [...(await text(socket)).matchAll(/\{"name":"(\w+)"\}/g)].map(([, name]) => name);
  expect(names).toEqual(['held', 'one', 'two']);
  expect(inFlight().pipelined).toBe(0);
});

it('responds to thousands of pipelined requests of a client that reads', async () => {
  const { port, begun } = await startListening();
  const socket = open(port);
  const count = 5000;
  const received = text(socket);
  for (let index = 1; index < count; index++) {
    if (!socket.write(get(`/small/${index}`))) await once(socket, 'drain');
  }
  socket.write(getLast(`/small/${count}`));
  const names = [...(await received).matchAll(/\{"name":"(\d+)"\}/g)].map(([, name]) => Number(name));
  expect(names).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  expect(begun).toHaveLength(count);
});

it('holds one response of each client that pipelines and never reads, and cuts them while others are served', async () => {
  const { port, begun, inFlight } = await startListening();
  const hostile = Array.from({ length: 20 }, () => open(port));
  for (const socket of hostile) socket.write(get('/page/hostile').repeat(200));
  await expect.poll(() => inFlight().unsentBytes).toBeGreaterThan(0);
  while (inFlight().connections > 0) {
    expect((await exchange(port, getLast('/small/polite'))).status).toBe(200);
    expect(inFlight().unsentBytes).toBeLessThan(21 * mebibyte);
  }
  // The system takes some megabytes for each connection.
  expect(begun.filter((name) => name === 'hostile').length).toBeLessThan(20 * 20);
  expect(inFlight()).toMatchObject({ atWork: nothing, connections: 0, pipelined: 0, unsentBytes: 0 });
});

it('does not cut a client that reads slowly', async () => {
  const [stallMs, pauseMs] = [1500, 25];
  const { port } = await startListening({ stallMs });
  const socket = open(port);
  socket.write(get('/page/slow').repeat(19) + getLast('/page/slow'));
  let [received, pauses] = [0, 0];
  for (;;) {
    const chunk = socket.read(256 * 1024) ?? socket.read();
    if (chunk === null && socket.readableEnded) break;
    received += (chunk as Buffer | null)?.length ?? 0;
    pauses += 1;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  // It took longer than anybody may stall.
  expect(pauses * pauseMs).toBeGreaterThan(stallMs);
  expect(received).toBeGreaterThan(20 * mebibyte);
});

it('cuts those who stalled longest when too much is unsent, and not who reads', async () => {
  const { port, inFlight } = await startListening({ maxUnsentBytes: 4 * mebibyte, stallMs: 60_000 });
  const hostile = Array.from({ length: 12 }, () => open(port));
  for (const socket of hostile) socket.write(get('/page/hostile').repeat(50));
  await expect.poll(() => inFlight().connections).toBeLessThanOrEqual(4);
  await expect.poll(() => inFlight().unsentBytes).toBeLessThanOrEqual(4 * mebibyte);
  const polite = await exchange(port, getLast('/page/polite'));
  expect(polite.text.length).toBeGreaterThan(mebibyte);
});

it('cuts the connection with the most pipelined requests when there are too many', async () => {
  const { port, inFlight, release } = await startListening({ maxPipelined: 500 });
  const polite = open(port);
  polite.write(get('/held') + get('/small/one').repeat(9) + getLast('/small/two'));
  await expect.poll(() => inFlight().pipelined).toBe(10);
  const hostile = open(port);
  hostile.write(get('/held') + get('/small/flood').repeat(600));
  await once(hostile.resume(), 'close');
  expect(inFlight().pipelined).toBe(10);
  release();
  expect((await text(polite)).match(/HTTP\/1.1 200/g)).toHaveLength(11);
});

it('stops in time beside clients that never read', async () => {
  const { port, inFlight, stop } = await startListening({ stallMs: 60_000 });
  for (const socket of Array.from({ length: 5 }, () => open(port))) socket.write(get('/page/hostile').repeat(50));
  await expect.poll(() => inFlight().unsentBytes).toBeGreaterThan(0);
  await stop(100);
  expect(inFlight()).toMatchObject({ connections: 0, pipelined: 0, unsentBytes: 0 });
});
