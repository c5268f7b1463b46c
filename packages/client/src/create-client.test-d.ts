import type { ErrorCode } from '@x/errors';
import { expectTypeOf } from 'vitest';
import {
  type Client,
  type ClientResult,
  createClient,
  type Serialized,
  pages,
  type TransportErrorCode,
} from './index.ts';

declare const client: Client;

const signedIn = await client.auth.signIn({ email: 'ada@example.com', password: 'correct horse battery' });
if (signedIn.ok) {
  expectTypeOf(signedIn.data.user.email).toEqualTypeOf<string>();
  expectTypeOf(signedIn.data.user.tenantId).toEqualTypeOf<string | null>();
  expectTypeOf(signedIn.value.user.createdAt).toEqualTypeOf<string>();
  // @ts-expect-error The tokens are in cookies that no script sees.
  void signedIn.data.cookies;
} else {
  expectTypeOf(signedIn.error.code).toEqualTypeOf<ErrorCode | TransportErrorCode>();
  // @ts-expect-error There is no such code.
  void (signedIn.error.code === 'SIGNED_OUT');
  expectTypeOf(signedIn.data).toEqualTypeOf<undefined>();
}

// An outcome can be destructured; the error tells whether there is data.
const { data, error } = await client.auth.signIn({ email: 'ada@example.com', password: 'correct horse battery' });
if (error) {
  expectTypeOf(error.code).toEqualTypeOf<ErrorCode | TransportErrorCode>();
  expectTypeOf(data).toEqualTypeOf<undefined>();
} else {
  expectTypeOf(data.user.email).toEqualTypeOf<string>();
}

const { status, user } = client.session.getSnapshot();
if (status === 'signedIn') expectTypeOf(user.id).toEqualTypeOf<string>();
else expectTypeOf(user).toEqualTypeOf<null>();

expectTypeOf<
  Serialized<{ readonly at: Date; readonly parts: readonly { readonly on: Date | null }[] }>
>().toEqualTypeOf<{
  readonly at: string;
  readonly parts: readonly { readonly on: string | null }[];
}>();

expectTypeOf(client.request<{ readonly id: string }>('/api/x')).resolves.toEqualTypeOf<
  ClientResult<{ readonly id: string }>
>();

for await (const page of pages(client.auth.events, { limit: 1 })) {
  if (page.ok) expectTypeOf(page.data.items[0]?.at).toEqualTypeOf<string | undefined>();
}

// @ts-expect-error A password is missing.
void client.auth.signIn({ email: 'ada@example.com' });
// @ts-expect-error There is no such call.
void client.auth.signInWith('x');
// @ts-expect-error Requests of other methods are not sent.
void client.request('/api/x', { method: 'TRACE' });
// @ts-expect-error There is no such option.
createClient({ url: 'https://app.example.com' });
