import { errorHandler, sessionOf, toExpressHandler } from '@x/server/express';
import express from 'express';
import { server } from './server.ts';

const app = express();
app.use(express.json());
app.use(toExpressHandler(server));

app.get('/', async (request, response) => {
  const session = await sessionOf(server, request, response);
  response.send(`Hello ${session?.user.email ?? 'stranger'}`);
});

app.use(errorHandler);

app.listen(3000);
