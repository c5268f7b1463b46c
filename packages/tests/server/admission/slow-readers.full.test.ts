import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { get, getLast, mebibyte, open, startListening } from '../../support/listening-server.ts';
import { exchange } from '../../support/wire.ts';

/** More than the system keeps for a connection, in as many requests as may wait on one. */
const manyPages = get('/page/hostile').repeat(60);

it('begins each pipelined request when the response before it was sent', async () => {
  const { port, begun, release } = await startListening();
  const socket = open(port);
  socket.write(get('/held') + get('/small/one') + getLast('/small/two'));
  await exchange(port, getLast('/small/other'));
  expect(begun).toEqual(['other']);
  release();
  const names = [...(await text(socket)).matchAll(/\{"name":"(\w+)"\}/g)].map(([, name]) => name);
  expect(names).toEqual(['held', 'one', 'two']);
});

it('lets 64 requests wait for the response to another, and cuts a connection with more', async () => {
  const { port, begun, release } = await startListening();
  const [patient, hostile] = [open(port), open(port)];
  patient.write(get('/held') + get('/small/patient').repeat(63) + getLast('/small/patient'));
  hostile.write(get('/held') + get('/small/hostile').repeat(600));
  await new Promise((resolve) => hostile.resume().once('close', resolve));
  release();
  expect((await text(patient)).match(/HTTP\/1.1 200/g)).toHaveLength(65);
  expect(begun).not.toContain('hostile');
});

it('holds one response of each client that pipelines and never reads, and cuts them while others are served', async () => {
  const { port, begun, inFlight } = await startListening({ stallMs: 200 });
  const hostile = Array.from({ length: 20 }, () => open(port));
  for (const socket of hostile) socket.write(manyPages);
  await expect.poll(() => begun).toContain('hostile');
  // The connection of the polite client may not be closed yet.
  while (inFlight().connections > 1) {
    expect((await exchange(port, getLast('/small/polite'))).status).toBe(200);
  }
  await expect.poll(() => inFlight()).toMatchObject({ atWork: 0, connections: 0 });
  // The system takes some megabytes for each connection.
  expect(begun.filter((name) => name === 'hostile').length).toBeLessThan(20 * 20);
});

it('cuts clients that read nothing once too much waits for them, and no client that reads', async () => {
  const { port, begun, inFlight } = await startListening({ stallMs: 60_000, maxUnreadBytes: 4 * mebibyte });
  const hostile = Array.from({ length: 30 }, () => open(port));
  for (const socket of hostile) socket.write(manyPages);
  await expect.poll(() => begun).toContain('hostile');
  await expect.poll(() => inFlight().connections, { timeout: 30_000 }).toBeLessThan(10);
  expect((await exchange(port, getLast('/page/polite'))).status).toBe(200);
});

it('does not cut a client that reads slowly', async () => {
  const [stallMs, pauseMs] = [500, 25];
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
  // It took longer than a client may stall.
  expect(pauses * pauseMs).toBeGreaterThan(2 * stallMs);
  expect(received).toBeGreaterThan(20 * mebibyte);
});

it('does not cut a stream that has nothing to say', async () => {
  const stallMs = 50;
  const { port, release } = await startListening({ stallMs });
  const socket = open(port);
  socket.write(getLast('/stream'));
  const received = text(socket);
  await new Promise((resolve) => setTimeout(resolve, 5 * stallMs));
  release();
  expect(await received).toMatch(/^HTTP\/1.1 200 .*first .*last/s);
});

it('stops in time beside clients that never read', async () => {
  const { port, begun, inFlight, stop } = await startListening();
  for (const socket of Array.from({ length: 5 }, () => open(port))) socket.write(manyPages);
  await expect.poll(() => begun).toContain('hostile');
  await stop(100);
  expect(inFlight()).toMatchObject({ connections: 0 });
});
