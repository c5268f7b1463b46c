import { type ReactNode, type SubmitEvent, useState } from 'react';
import { client } from './client.ts';

/** Signs in, or signs up: the session tells the app, in every tab. */
export function SignIn(): ReactNode {
  const [isNew, setNew] = useState(false);
  const [message, setMessage] = useState('');

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const credentials = { email: String(form.get('email')), password: String(form.get('password')) };
    const name = String(form.get('name'));
    const result = await (isNew ? client.auth.signUp({ ...credentials, name }) : client.auth.signIn(credentials));
    if (!result.ok) setMessage(result.error.issues?.[0]?.message ?? result.error.message);
  }

  return (
    <form onSubmit={(event) => void submit(event)}>
      <input name="email" type="email" aria-label="E-mail" autoComplete="username" required />
      <input name="password" type="password" aria-label="Password" autoComplete="current-password" required />
      {isNew && <input name="name" aria-label="Name" autoComplete="name" required />}
      <button>{isNew ? 'Sign up' : 'Sign in'}</button>
      <button type="button" onClick={() => setNew(!isNew)}>
        {isNew ? 'I have an account' : 'Create an account'}
      </button>
      <p role="alert">{message}</p>
    </form>
  );
}
