import type { MissingFields } from '@x/client/react';
import { type ReactNode, type SubmitEvent, useState } from 'react';
import type { userFields } from '../entities.ts';

const labels: Readonly<Record<string, string>> = { name: 'Your name' };

/** Asks a user for what their account lacks: a provider did not tell it, or the app asks for it only since then. */
export function CompleteAccount({ names, submit }: MissingFields<typeof userFields>): ReactNode {
  const [message, setMessage] = useState('');

  async function complete(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const result = await submit(Object.fromEntries(names.map((name) => [name, String(form.get(name))])));
    if (!result.ok) setMessage(result.error.issues?.[0]?.message ?? result.error.message);
  }

  return (
    <form onSubmit={(event) => void complete(event)}>
      <h1>One more thing</h1>
      {names.map((name) => (
        <input key={name} name={name} aria-label={labels[name] ?? name} required />
      ))}
      <button>Go on</button>
      <p role="alert">{message}</p>
    </form>
  );
}
