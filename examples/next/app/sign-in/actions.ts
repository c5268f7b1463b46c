'use server';

import { requireActionRequest, setCookies } from '@x/server/next';
import { redirect } from 'next/navigation';
import { server } from '../../server';

export async function signIn(form: FormData): Promise<void> {
  const signedIn = await server.auth.api.signIn(credentialsIn(form), await requireActionRequest(server));
  if (!signedIn.ok) redirect(`/sign-in?error=${signedIn.error.code}`);
  await setCookies(signedIn.value.cookies);
  redirect('/');
}

export async function signUp(form: FormData): Promise<void> {
  const signedUp = await server.auth.api.signUp(credentialsIn(form), await requireActionRequest(server));
  if (!signedUp.ok) redirect(`/sign-in?error=${signedUp.error.code}`);
  await setCookies(signedUp.value?.cookies ?? []);
  redirect('/');
}

function credentialsIn(form: FormData): { readonly email: string; readonly password: string } {
  return { email: String(form.get('email')), password: String(form.get('password')) };
}
