import { Agent, type IncomingMessage, request as startRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import type { Browser } from '../../support/browser.ts';

/** A server under attack, with what the attackers have there. */
export interface Target {
  readonly port: number;
  readonly origin: string;
  readonly attackers: readonly Attacker[];
  readonly tally: Tally;
}

/** An account of the attackers, with the largest records that it may have. */
export interface Attacker {
  readonly browser: Browser;
  readonly projectId: string;
  readonly taskIds: readonly string[];
}

/** Something that clients do over and over, as many of them at a time as `clients` says. */
export interface Attack {
  readonly name: string;
  readonly clients: number;
  /** Does it once. An error counts as a connection that broke, which is one of the ways to be refused. */
  readonly strike: (target: Target, index: number) => Promise<unknown>;
}

/** The responses, by the name of the attack. */
export class Tally {
  readonly responses: Record<string, Record<string, number>> = {};
  /** Responses that no client may cause by any request. */
  readonly faults: string[] = [];

  /** Counts a response, or another outcome. */
  add(attack: string, outcome: string): void {
    const counts = (this.responses[attack] ??= {});
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }

  /** Counts a response by its head and the beginning of its body. */
  addResponse(attack: string, status: number, retryAfter: string | undefined, text: string): void {
    this.add(attack, String(status));
    const isFault = status >= 500 && !(status === 503 && Number(retryAfter) >= 1);
    if (isFault && this.faults.length < 50) this.faults.push(`${attack}: ${status} ${text.slice(0, 300)}`);
  }
}

const agent = new Agent({ keepAlive: true, maxSockets: 1000 });

/** A well-formed request that no page would send. */
export interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly attacker?: Attacker | undefined;
  /** Sent as it is where it is a string or bytes, otherwise as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request and reads its response to the end, but keeps only the beginning. Returns the status. */
export async function ask(target: Target, attack: string, asked: Asked): Promise<number> {
  const { method = 'GET', path, attacker, body, headers = {} } = asked;
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  const bytes = body === undefined ? undefined : isRaw ? body : JSON.stringify(body);
  const request = startRequest({
    agent,
    host: '127.0.0.1',
    port: target.port,
    method,
    path,
    headers: {
      ...pageHeaders(target, attacker),
      ...(bytes !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(bytes) }),
      ...headers,
    },
  });
  request.end(bytes);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < 300) text += chunk;
  });
  await once(response, 'close');
  const { statusCode = 0 } = response;
  target.tally.addResponse(attack, statusCode, response.headers['retry-after'], text);
  return statusCode;
}

/** Returns the headers that the pages of the demo send with each request. */
export function pageHeaders(target: Target, attacker: Attacker | undefined): Readonly<Record<string, string>> {
  return {
    'x-app-request': '1',
    origin: target.origin,
    ...(attacker && { cookie: `app.sid=${attacker.browser.cookies.get('app.sid') ?? ''}` }),
  };
}

/** Writes a request out. */
export function spell(line: string, headers: Readonly<Record<string, string>> = {}, body = ''): string {
  const all = Object.entries({ host: 'localhost', ...headers });
  return [`${line} HTTP/1.1`, ...all.map(([name, value]) => `${name}: ${value}`), '', body].join('\r\n');
}

/** Connects. Errors of the connection are left to what waits for its end. */
export async function open({ port }: Target): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  await once(socket, 'connect');
  socket.on('error', () => {});
  return socket;
}

/** Resolves when a connection has ended, with the statuses of all that it answered counted. */
export async function untilClosed(target: Target, attack: string, socket: Socket): Promise<void> {
  countAnswers(target, attack, socket);
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  target.tally.add(attack, 'closed');
}

function countAnswers({ tally }: Target, attack: string, socket: Socket): void {
  socket.setEncoding('latin1').on('data', (text: string) => {
    for (const [, status = '', head = ''] of text.matchAll(/HTTP\/1\.1 (\d{3}) (.*?\r\n\r\n)/gs)) {
      const [, retryAfter] = /^retry-after: (.*)$/im.exec(head) ?? [];
      tally.addResponse(attack, Number(status), retryAfter, head);
    }
  });
}
