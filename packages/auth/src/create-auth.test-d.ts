import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import { type Auth, createAuth } from './create-auth.ts';
import type { User } from './user/user.ts';

const session = { strategy: 'jwt' } as const;

const auth = await createAuth({
  session,
  userFields: {
    company: { schema: z.string() },
    plan: { schema: z.enum(['free', 'paid']).default('free') },
    nickname: { schema: z.string().nullish(), update: true, signUp: true },
    born: { schema: z.string().transform((text) => Number(text)) },
    taxNumber: { schema: z.string().optional(), public: false, signUp: true },
  },
  claims: (user) => {
    expectTypeOf(user.company).toEqualTypeOf<string | undefined>();
    // @ts-expect-error There is no such field.
    return { company: user.compnay };
  },
  onUserCreated({ user }) {
    expectTypeOf(user.plan).toEqualTypeOf<'free' | 'paid' | undefined>();
    // @ts-expect-error It is not public.
    void user.taxNumber;
  },
  onSecurityNotice: ({ user }) => void user.nickname,
  passwordReset: { enabled: true, onSend: (user) => void user.nickname },
  tenant: { list: (user) => [{ id: 'id', name: user.company ?? '' }], isMember: (user) => user.company === 'x' },
});

const ada = { email: 'ada@example.com', password: 'correct horse battery', company: 'Engines', born: '1815' };

// The input of sign-up follows from the declarations.
await auth.api.signUp(ada);
await auth.api.signUp({ ...ada, nickname: null, taxNumber: 'TAX-1' });
// @ts-expect-error It has a default, which callers can't choose.
await auth.api.signUp({ ...ada, plan: 'paid' });
// @ts-expect-error There is no such field.
await auth.api.signUp({ ...ada, nmae: 'Ada' });
// @ts-expect-error A required field is missing.
await auth.api.signUp({ email: ada.email, password: ada.password, born: ada.born });
// @ts-expect-error It is a text.
await auth.api.signUp({ ...ada, nickname: 1 });
// @ts-expect-error The input is a text.
await auth.api.signUp({ ...ada, born: 1815 });

// A user shows the public fields, each of which may be absent.
const found = await auth.admin.findUser({ email: ada.email });
if (found.ok) {
  expectTypeOf(found.value.company).toEqualTypeOf<string | undefined>();
  expectTypeOf(found.value.born).toEqualTypeOf<number | undefined>();
  expectTypeOf(found.value.disabledAt).toEqualTypeOf<Date | null>();
}
const current = await auth.api.getSession(new Headers());
if (current.ok && current.value) {
  const { user } = current.value;
  expectTypeOf(user.nickname).toEqualTypeOf<string | null | undefined>();
  expectTypeOf(user.role).toBeString();
  // @ts-expect-error There is no such field.
  void user.rol;
  // @ts-expect-error It is not public.
  void user.taxNumber;
}

// Users change the marked fields, operators every field.
await auth.api.updateUser({ nickname: 'Ada' }, new Headers());
// @ts-expect-error There is no such field.
await auth.api.updateUser({ nickname: 'Ada', nmae: 'Ada' }, new Headers());
// @ts-expect-error Users may not change it.
await auth.api.updateUser({ nickname: 'Ada', plan: 'paid' }, new Headers());
// @ts-expect-error It is a text.
await auth.api.updateUser({ nickname: 1 }, new Headers());
const updated = await auth.admin.updateUser('id', { plan: 'paid', taxNumber: 'TAX-2' });
if (updated.ok) expectTypeOf(updated.value.plan).toEqualTypeOf<'free' | 'paid' | undefined>();
// @ts-expect-error There is no such field.
await auth.admin.updateUser('id', { plna: 'paid' });

// Code for any app takes the auth of each, and knows the members of all users.
expectTypeOf(auth).toExtend<Auth>();
expectTypeOf<User<{ company: { schema: z.ZodString } }>>().toExtend<User>();

// Without fields of its own, an app has no others.
const plain = await createAuth({ session });
expectTypeOf(plain).toEqualTypeOf<Auth>();
// @ts-expect-error There is no such field.
await plain.api.signUp({ email: ada.email, password: ada.password, nmae: 'Ada' });

// Fields that are declared by themselves are as good.
const userFields = { company: { schema: z.string(), update: true }, taxNumber: { schema: z.string(), public: false } };
const declared = await createAuth({ session, userFields });
await declared.api.updateUser({ company: 'Engines' }, new Headers());
const other = await declared.admin.findUser({ id: 'id' });
if (other.ok) {
  expectTypeOf(other.value.company).toEqualTypeOf<string | undefined>();
  // @ts-expect-error It is not public.
  void other.value.taxNumber;
}
