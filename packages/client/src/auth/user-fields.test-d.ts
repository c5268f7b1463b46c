import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import { createClient } from '../index.ts';
import { useMissingFields, useSession } from '../react.ts';

const userFields = {
  company: { schema: z.string(), update: true },
  born: {
    schema: z
      .date()
      .transform((date) => date.toISOString())
      .optional(),
  },
  taxNumber: { schema: z.string().optional(), public: false, signUp: true },
};

interface Shop {
  userFields: typeof userFields;
}

const { auth, session } = createClient<Shop>();
const ada = { email: 'ada@example.com', password: 'correct horse battery' };

// The client knows the app's own fields of a user from the declarations of the server.
const signedUp = await auth.signUp({ ...ada, company: 'Engines', taxNumber: 'TAX-1' });
if (signedUp.ok && signedUp.data) {
  expectTypeOf(signedUp.data.user.company).toEqualTypeOf<string | undefined>();
  expectTypeOf(signedUp.data.user.born).toEqualTypeOf<string | undefined>();
  // @ts-expect-error There is no such field.
  void signedUp.data.user.rol;
  // @ts-expect-error It is not public.
  void signedUp.data.user.taxNumber;
}
// @ts-expect-error There is no such field.
await auth.signUp({ ...ada, company: 'Engines', nmae: 'Ada' });
// @ts-expect-error Sign-up does not take it.
await auth.signUp({ ...ada, company: 'Engines', born: new Date() });
// @ts-expect-error The company is required.
await auth.signUp(ada);

const updated = await auth.updateUser({ company: 'Analytical Engines' });
if (updated.ok) expectTypeOf(updated.data.user.company).toEqualTypeOf<string | undefined>();
// @ts-expect-error Users may not change it.
await auth.updateUser({ company: 'Engines', taxNumber: 'TAX-2' });

const { user } = session.getSnapshot();
expectTypeOf(user?.company).toEqualTypeOf<string | undefined>();
expectTypeOf(user?.incomplete).toEqualTypeOf<readonly string[] | undefined>();
const shown = useSession({ session });
expectTypeOf(shown.user?.company).toEqualTypeOf<string | undefined>();
// @ts-expect-error There is no such field.
void shown.user?.compnay;

// Without fields of its own, an app has no others.
const plain = createClient();
// @ts-expect-error There is no such field.
await plain.auth.signUp({ ...ada, company: 'Engines' });
// @ts-expect-error There is no such field.
void useSession(plain).user?.company;

// What an incomplete user lacks is given with the app's own fields.
const missing = useMissingFields({ auth, session });
expectTypeOf(missing?.names).toEqualTypeOf<readonly string[] | undefined>();
await missing?.submit({ company: 'Engines' });
// @ts-expect-error There is no such field.
await missing?.submit({ compnay: 'Engines' });
