import { useSession } from '@x/client/react';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { client } from './client.ts';
import { Notes } from './notes.tsx';
import { SignIn } from './sign-in.tsx';

function App(): ReactNode {
  const { status, user } = useSession(client);
  if (status === 'loading') return null;
  return user ? <Notes key={user.id} user={user} /> : <SignIn />;
}

const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);
