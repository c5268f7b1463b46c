import { useList } from '@x/client/react/list';
import { type ReactNode, type SubmitEvent, useState } from 'react';
import { client } from './client.ts';

/** The user's notes. The list follows the writes of the client. */
export function Notes({ name }: { readonly name: string }): ReactNode {
  const { data, loadMore } = useList(client.entities.notes, { orderBy: ['createdAt:desc'] });
  const [message, setMessage] = useState('');

  async function add(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget;
    const created = await client.entities.notes.create({ title: String(new FormData(form).get('title')) });
    if (created.ok) form.reset();
    setMessage(created.ok ? '' : (created.error.issues?.[0]?.message ?? created.error.message));
  }

  return (
    <main>
      <p>
        Hello {name} <button onClick={() => void client.auth.signOut()}>Sign out</button>
      </p>
      <form onSubmit={(event) => void add(event)}>
        <input name="title" aria-label="Title" required />
        <button>Add</button>
        <p role="alert">{message}</p>
      </form>
      <ul aria-busy={!data}>
        {data?.items.map(({ id, title }) => (
          <li key={id}>
            {title} <button onClick={() => void client.entities.notes.delete(id)}>Delete {title}</button>
          </li>
        ))}
      </ul>
      {data?.nextCursor && <button onClick={loadMore}>More</button>}
    </main>
  );
}
