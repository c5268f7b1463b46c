import { createServer } from 'node:http';
import { sessionOf, toNodeHandler } from '@x/server/node';
import { server } from './server.ts';

const serve = toNodeHandler(server);
const http = createServer(async (request, response) => {
  if (request.url?.startsWith('/api/')) return serve(request, response);
  const session = await sessionOf(server, request, response);
  response.end(`Hello ${session?.user.email ?? 'stranger'}`);
});
http.listen(3000);
