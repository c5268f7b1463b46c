import type { IncomingMessage, ServerResponse } from 'node:http';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import { createServer, type Server } from './create-server.ts';
import { sessionOf } from './node.ts';

const server = await createServer({
  auth: {
    session: { strategy: 'jwt' },
    userFields: { company: { schema: z.string() } },
    claims: (user) => ({ company: user.company ?? null }),
  },
});

// The server's auth knows the app's own fields of a user, as `createAuth` does.
expectTypeOf(server).toExtend<Server>();
const user = await server.auth.admin.findUser({ id: 'id' });
if (user.ok) {
  expectTypeOf(user.value.company).toEqualTypeOf<string | undefined>();
  // @ts-expect-error There is no such field.
  void user.value.compnay;
}
// @ts-expect-error The company is required.
await server.auth.api.signUp({ email: 'ada@example.com', password: 'correct horse battery' });

declare const [incoming, outgoing]: readonly [IncomingMessage, ServerResponse];
const session = await sessionOf(server, incoming, outgoing);
expectTypeOf(session?.user.company).toEqualTypeOf<string | undefined>();
