import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { callProvider } from './call-provider.ts';

const limits = { timeoutMs: 5000, maxBytes: 1000 };

/** Serves until the test is over, and returns where. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Returns JSON of so many bytes. */
const ofSize = (bytes: number): string => JSON.stringify('x'.repeat(bytes - 2));

it('reads as many bytes as allowed and no more, with a length or in chunks', async () => {
  for (const announced of [true, false]) {
    const url = await serve((request, response) => {
      const body = ofSize(Number(request.headers['x-size']));
      if (announced) response.setHeader('content-length', body.length);
      response.write(body.slice(0, 500));
      response.end(body.slice(500));
    });
    const call = (size: number): Promise<unknown> => callProvider(url, { headers: { 'x-size': String(size) } }, limits);
    expect(await call(1000)).toHaveLength(998);
    await expect(call(1001)).rejects.toThrow('more than 1000 bytes');
  }
});

it('counts the bytes of a compressed response after decompression', async () => {
  const bomb = gzipSync(ofSize(50_000_000));
  const url = await serve((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
  await expect(callProvider(url, {}, limits)).rejects.toThrow('more than 1000 bytes');
});

it('waits no longer than the timeout for the head of a response or for its end', async () => {
  const slow: readonly RequestListener[] = [() => {}, (_, response) => void response.writeHead(200).write('{')];
  for (const listener of slow) {
    const url = await serve(listener);
    await expect(callProvider(url, {}, { ...limits, timeoutMs: 50 })).rejects.toThrow(/timeout/);
  }
});

it('follows no redirect, and accepts only JSON with a successful status', async () => {
  const url = await serve((request, response) => {
    if (request.url === '/moved') response.writeHead(302, { location: '/' }).end();
    else
      response.writeHead(request.url === '/bad' ? 400 : 200).end(request.url === '/html' ? '<p>secret</p>' : '{"a":1}');
  });
  expect(await callProvider(url, {}, limits)).toEqual({ a: 1 });
  await expect(callProvider(`${url}moved`, {}, limits)).rejects.toThrow('fetch failed');
  await expect(callProvider(`${url}bad`, {}, limits)).rejects.toThrow('status 400');
  await expect(callProvider(`${url}html`, {}, limits)).rejects.toThrow(
    'The provider did not answer with JSON: check its endpoints.',
  );
});
