import { callerOf } from '@x/auth';
import { sessionOf } from '@x/server/next';
import type { ReactNode } from 'react';
import { notes } from '../entities';
import { server } from '../server';
import { addNote } from './actions';
import { SignOut } from './sign-out';

export default async function Page(): Promise<ReactNode> {
  const session = await sessionOf(server);
  if (!session) {
    return (
      <main>
        <p>Hello stranger</p>
        <a href="/sign-in">Sign in</a>
      </main>
    );
  }
  const page = await server.entities.as(callerOf(session)).list(notes, { orderBy: 'createdAt' });
  return (
    <main>
      <p>Hello {session.user.email}</p>
      <form action={addNote}>
        <input name="title" aria-label="Title" required />
        <button>Add</button>
      </form>
      <ul>{page.ok && page.value.items.map(({ id, title }) => <li key={id}>{title}</li>)}</ul>
      <SignOut />
    </main>
  );
}
