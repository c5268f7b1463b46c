import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { sessionOf, toNodeHandler } from '@x/server/node';
import { server } from './server.ts';

const serve = toNodeHandler(server);
createServer((request, response) => serve(request, response, () => void greet(request, response))).listen(3000);

async function greet(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const session = await sessionOf(server, request, response);
  response.end(`Hello ${session?.user.email ?? 'stranger'}`);
}
