import { createContext } from 'react';
import { client } from '../client/client.ts';
import { forgetDrafts } from '../form/draft.ts';

/** Whether a session has ended without being asked to in this tab, which the entry explains. */
export const HasEnded: React.Context<boolean> = createContext(false);

let isAsked = false;

/** Signs out, and remembers that it was asked for here. */
export async function signOut(): ReturnType<typeof client.auth.signOut> {
  isAsked = true;
  const result = await client.auth.signOut();
  if (result.ok) forgetDrafts();
  else isAsked = false;
  return result;
}

/** Says whether the session that has just ended was asked to, and forgets it. */
export function takeAsked(): boolean {
  const asked = isAsked;
  isAsked = false;
  return asked;
}

/** Remembers that the session ends by what is being done now, such as deleting the account. */
export function expectEnd(): void {
  forgetDrafts();
  isAsked = true;
}
