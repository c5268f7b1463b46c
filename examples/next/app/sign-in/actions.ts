'use server';

import { runAuthStep } from '@x/server/next';
import { redirect } from 'next/navigation';
import { server } from '../../server';

export async function signIn(form: FormData): Promise<void> {
  const signedIn = await runAuthStep(server, (request) => server.auth.api.signIn(credentialsIn(form), request));
  redirect(signedIn.ok ? '/' : `/sign-in?error=${signedIn.error.code}`);
}

export async function signUp(form: FormData): Promise<void> {
  const signedUp = await runAuthStep(server, (request) => server.auth.api.signUp(credentialsIn(form), request));
  redirect(signedUp.ok ? '/' : `/sign-in?error=${signedUp.error.code}`);
}

function credentialsIn(form: FormData): { readonly email: string; readonly password: string } {
  return { email: String(form.get('email')), password: String(form.get('password')) };
}
