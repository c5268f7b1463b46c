import { type ReactNode, type SubmitEvent, useState } from 'react';
import { client } from './client.ts';

/** Signs in with either button: the session tells the app, in every tab. */
export function SignIn(): ReactNode {
  const [message, setMessage] = useState('');

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const form = new FormData(event.currentTarget, event.nativeEvent.submitter);
    const credentials = { email: String(form.get('email')), password: String(form.get('password')) };
    const isNew = form.get('how') === 'sign-up';
    const result = await (isNew ? client.auth.signUp(credentials) : client.auth.signIn(credentials));
    if (!result.ok) setMessage(result.error.issues?.[0]?.message ?? result.error.message);
  }

  return (
    <form onSubmit={(event) => void submit(event)}>
      <input name="email" type="email" aria-label="E-mail" autoComplete="username" required />
      <input name="password" type="password" aria-label="Password" autoComplete="current-password" required />
      <button name="how" value="sign-in">
        Sign in
      </button>
      <button name="how" value="sign-up">
        Sign up
      </button>
      <p role="alert">{message}</p>
    </form>
  );
}
