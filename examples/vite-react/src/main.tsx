import { useMissingFields, useSession } from '@x/client/react';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { client } from './client.ts';
import { CompleteAccount } from './complete-account.tsx';
import { Notes } from './notes.tsx';
import { SignIn } from './sign-in.tsx';

function App(): ReactNode {
  const { status, user } = useSession(client);
  const missing = useMissingFields(client);
  if (status === 'loading') return null;
  if (!user) return <SignIn />;
  return missing ? <CompleteAccount {...missing} /> : <Notes key={user.id} name={user.name ?? user.email} />;
}

const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);
