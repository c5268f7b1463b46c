import type { ReactElement } from 'react';
import { client } from '../client.ts';
import { ActionButton } from '../form/action-button.tsx';

/** The top of the page for somebody who is signed in. */
export function Header(props: { readonly email: string; readonly place: string }): ReactElement {
  const { email, place } = props;
  return (
    <header className="header">
      <a href="#/" className="brand">
        Tracker
      </a>
      <nav aria-label="Tracker">
        {destinations.map(({ href, text }) => (
          <a key={href} href={`#${href}`} aria-current={place === href ? 'page' : undefined}>
            {text}
          </a>
        ))}
      </nav>
      <p className="who">
        <span>{email}</span>
        <ActionButton send={() => client.auth.signOut()}>Sign out</ActionButton>
      </p>
    </header>
  );
}

const destinations = [
  { href: '/vault', text: 'Vault' },
  { href: '/account', text: 'Account' },
] as const;
