'use client';

import { createClient } from '@x/client';
import type { ReactNode } from 'react';

const client = createClient();

export function SignOut(): ReactNode {
  return <button onClick={() => void client.auth.signOut().then(() => location.reload())}>Sign out</button>;
}
