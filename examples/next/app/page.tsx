import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import { server } from '../server';

export default async function Page(): Promise<ReactNode> {
  const current = await server.auth.api.getSession(await headers());
  return <p>Hello {(current.ok && current.value?.user.email) || 'stranger'}</p>;
}
