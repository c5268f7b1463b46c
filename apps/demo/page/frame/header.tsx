import type { User } from '@x/auth';
import type { Serialized } from '@x/client';
import type { ReactElement } from 'react';
import { client } from '../client.ts';
import { hasFeature } from '../features.ts';
import { ActionButton } from '../form/action-button.tsx';
import { OrganizationPicker } from '../organization/organization-picker.tsx';

/** The top of the page for somebody who is signed in. */
export function Header(props: { readonly user: Serialized<User>; readonly place: string }): ReactElement {
  const { user, place } = props;
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
      <div className="who">
        {user.tenantId !== null && <OrganizationPicker currentId={user.tenantId} />}
        <span>{user.email}</span>
        <ActionButton send={() => client.auth.signOut()}>Sign out</ActionButton>
      </div>
    </header>
  );
}

const destinations = [
  { href: '/', text: 'Projects' },
  { href: '/members', text: 'Members' },
  { href: '/access', text: 'Access' },
  // Only a second factor opens it.
  ...(hasFeature('mfa') ? [{ href: '/vault', text: 'Vault' }] : []),
  { href: '/account', text: 'Account' },
];
