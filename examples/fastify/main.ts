import { errorHandler, sessionOf, toFastifyPlugin } from '@x/server/fastify';
import Fastify from 'fastify';
import { server } from './server.ts';

const app = Fastify();
await app.register(toFastifyPlugin(server));
app.setErrorHandler(errorHandler);

app.get('/', async (request, reply) => {
  const session = await sessionOf(server, request, reply);
  return `Hello ${session?.user.email ?? 'stranger'}`;
});

await app.listen({ port: 3000 });
