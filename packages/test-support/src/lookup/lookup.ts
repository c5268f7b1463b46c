import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers the workers of a run with one text, over HTTP: they share no memory with the process that knows it. */
export interface Lookup extends AsyncDisposable {
  readonly url: string;
}

/** Starts a lookup. Its answer is found when a worker first asks, since a run may not need it. */
export async function startLookup(find: () => Promise<string>): Promise<Lookup> {
  const server = createServer((_request, response) => {
    // A connection that was kept could be closed in the very moment when its worker asks again.
    response.setHeader('connection', 'close');
    find().then(
      (answer) => response.end(answer),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

/**
 * Asks a lookup.
 *
 * @throws Error that says what is missing, where it could not be found
 */
export async function lookUp(url: string, missing: string): Promise<string> {
  const response = await fetch(url);
  const answer = await response.text();
  if (!response.ok) throw new Error(`${missing}: ${answer}`);
  return answer;
}
