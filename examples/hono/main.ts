import { sessionOf } from '@x/server/hono';
import { listen } from '@x/server/node';
import { server } from './server.ts';

server.app.get('/', async (c) => {
  const session = await sessionOf(server, c);
  return c.text(`Hello ${session?.user.email ?? 'stranger'}`);
});

await listen(server, { port: 3000 });
