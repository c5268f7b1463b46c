import type { Server } from '@x/server';
import { listen } from '@x/server/node';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { ResponseBody, TestResponse } from './test-client.ts';

/** Serves on a free port of this machine until the test is over, and returns the port. */
export async function serve(server: Server): Promise<number> {
  const listener = await listen(server, { port: 0 });
  onTestFinished(() => listener.stop(0));
  return listener.port;
}

/**
 * Writes bytes to a port of this machine as they are, a string as Latin-1, and reads the first response.
 *
 * The request has to make the server hang up: by `Connection: close`, or by being unreadable.
 */
export async function exchange(port: number, request: string | Buffer): Promise<TestResponse> {
  const socket = connect(port, '127.0.0.1');
  socket.write(typeof request === 'string' ? Buffer.from(request, 'latin1') : request);
  return parseResponse((await buffer(socket)).toString('latin1'));
}

/** Encodes a request: its first line, then the headers that a page of the app would send, unless they are replaced. */
export function encodeRequest(
  line: string,
  { headers = {}, body = '' }: { headers?: Readonly<Record<string, string | null>>; body?: string } = {},
): string {
  const all: Record<string, string | null> = {
    Host: 'localhost:3000',
    Origin: 'http://localhost:3000',
    'X-APP-Request': '1',
    Connection: 'close',
    ...(body !== '' && { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }),
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
  return [`${line} HTTP/1.1`, ...lines, '', body].join('\r\n');
}

function parseResponse(response: string): TestResponse {
  const headEnd = response.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = response.slice(0, headEnd).split('\r\n');
  const headers = new Headers(lines.map((line) => line.split(/:\s*(.*)/s).slice(0, 2) as [string, string]));
  const text = Buffer.from(response.slice(headEnd + 4), 'latin1').toString();
  const body = (
    headers.get('content-type')?.includes('json') && text !== '' ? JSON.parse(text) : undefined
  ) as ResponseBody;
  return { status: Number(statusLine.split(' ')[1]), headers, text, body };
}
