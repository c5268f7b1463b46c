import type { IncomingMessage, ServerResponse } from 'node:http';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import { createServer, type Server, type ServerOptions } from './create-server.ts';
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

// Without `access`, the definition is that of the organizations.
interface Model {
  readonly entities: { readonly team: { readonly roles: readonly ['lead'] } };
  readonly entitlements: { readonly 'team:read': { readonly roles: readonly ['lead'] } };
}
declare const organizations: NonNullable<ServerOptions<Model>['organizations']>;
const { access } = await createServer({ auth: { session: { strategy: 'jwt' } }, organizations });
const context = access.contextFor({ userId: 'ada', tenantId: null, role: 'user', secondFactorAt: null });
void context.can('team:read');
// @ts-expect-error There is no such entitlement.
void context.can('team:write');

// A server that has no definition, or may have none, has no access contexts for sure.
expectTypeOf(server.access).extract<null>().toEqualTypeOf<null>();
