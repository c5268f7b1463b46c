import { Hono } from 'hono';
import { expectTypeOf } from 'vitest';
import type { z } from 'zod';
import type { Auth } from './create-auth.ts';
import { requirePrincipal, requireRole, requireSession, session } from './hono-session.ts';
import type { CurrentSession, Principal } from './principal/principal.ts';

declare const auth: Auth;

new Hono()
  .get('/hello', session(auth), (c) => {
    expectTypeOf(c.var.session).toEqualTypeOf<CurrentSession | null>();
    expectTypeOf(c.get('session')).toEqualTypeOf<CurrentSession | null>();
    // @ts-expect-error An anonymous caller has no session.
    return c.text(c.var.session.id);
  })
  .get('/me', requireSession(auth), (c) => {
    expectTypeOf(c.var.session).toEqualTypeOf<CurrentSession>();
    expectTypeOf(c.var.session.user.role).toBeString();
    expectTypeOf(c.var.session.expiresAt).toEqualTypeOf<Date>();
    // @ts-expect-error Handlers may not change it.
    c.var.session.id = 'x';
    return c.text(c.var.session.id);
  })
  .get('/admin', requireRole(auth, ['admin', 'owner']), (c) => {
    expectTypeOf(c.var.principal).toEqualTypeOf<Principal>();
    // @ts-expect-error An API key has no session.
    return c.text(c.var.session.user.email);
  })
  .get('/any', requirePrincipal(auth), (c) => {
    expectTypeOf(c.var.principal.userId).toBeString();
    expectTypeOf(c.var.session).toEqualTypeOf<CurrentSession | null>();
    return c.text(c.var.principal.role);
  })
  .get('/users/:id', requireSession(auth), requireRole(auth, 'admin'), (c) => {
    expectTypeOf(c.req.param('id')).toBeString();
    expectTypeOf(c.var.session).toExtend<CurrentSession>();
    return c.text(c.req.param('id'));
  });

declare const withCompany: Auth<{ company: { schema: z.ZodString } }>;

new Hono().get('/company', requireSession(withCompany), (c) => {
  expectTypeOf(c.var.session.user.company).toEqualTypeOf<string | undefined>();
  // @ts-expect-error There is no such field.
  return c.text(c.var.session.user.compnay);
});

// @ts-expect-error Roles are texts.
requireRole(auth, 1);

// @ts-expect-error Without a middleware there is no session.
new Hono().get('/', (c) => c.text(c.var.session.id));
