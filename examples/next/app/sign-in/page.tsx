import type { ReactNode } from 'react';
import { signIn, signUp } from './actions';

interface SignInProps {
  readonly searchParams: Promise<{ readonly error?: string }>;
}

export default async function SignIn({ searchParams }: SignInProps): Promise<ReactNode> {
  const { error } = await searchParams;
  return (
    <form action={signIn}>
      {error && <p role="alert">{error}</p>}
      <input name="email" type="email" aria-label="Email" required />
      <input name="password" type="password" aria-label="Password" required />
      <button>Sign in</button>
      <button formAction={signUp}>Sign up</button>
    </form>
  );
}
