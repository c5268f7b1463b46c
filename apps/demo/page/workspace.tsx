import type { User } from '@x/auth';
import type { Serialized } from '@x/client';
import { type ReactElement, useEffect, useId } from 'react';
import { ExplorerScreen } from './access/explorer-screen.tsx';
import { AccountScreen } from './account/account-screen.tsx';
import { onChangeElsewhere } from './client/changes.ts';
import { client, hasFeature } from './client/client.ts';
import { useLoad } from './client/load.tsx';
import { VerificationReminder } from './entry/verification.tsx';
import { ActionButton } from './form/action-button.tsx';
import { MembersScreen } from './organization/members-screen.tsx';
import { PlanContext } from './organization/plan.tsx';
import { ProjectScreen } from './project/project-screen.tsx';
import { ProjectsScreen } from './project/projects-screen.tsx';
import { SkipLink } from './screen/screen.tsx';
import { VaultScreen } from './vault/vault-screen.tsx';

/** What a signed-in user sees. Most of it belongs to their current organization, whose plan is loaded once, here. */
export function Workspace(props: { readonly user: Serialized<User>; readonly place: string }): ReactElement {
  const { user, place } = props;
  const plan = useLoad('records', (options) => client.entities.organizations.plan.get(user.tenantId ?? '', options));
  // The client refreshes the access set after its own writes; other tabs announce theirs.
  useEffect(() => onChangeElsewhere('records', () => void client.access.refresh()), []);
  return (
    <PlanContext value={plan}>
      <SkipLink />
      <Header user={user} place={place} />
      {!user.emailVerified && <VerificationReminder email={user.email} />}
      <ScreenAt place={place} organizationId={user.tenantId} />
    </PlanContext>
  );
}

/** The screen at a place; without an organization there is only the account, and the vault of the user. */
function ScreenAt(props: { readonly place: string; readonly organizationId: string | null }): ReactElement {
  const { place, organizationId } = props;
  const [, name = '', id = ''] = place.split('/');
  if (name === 'vault') return <VaultScreen />;
  if (name === 'account' || organizationId === null) return <AccountScreen />;
  if (name === 'projects') return <ProjectScreen key={id} id={id} />;
  if (name === 'members') return <MembersScreen organizationId={organizationId} />;
  if (name === 'access') return <ExplorerScreen organizationId={organizationId} />;
  return <ProjectsScreen organizationId={organizationId} />;
}

/** The top of the page: where one can go, in which organization, as whom. */
function Header(props: { readonly user: Serialized<User>; readonly place: string }): ReactElement {
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
  // Only a second factor opens the vault.
  ...(hasFeature('mfa') ? [{ href: '/vault', text: 'Vault' }] : []),
  { href: '/account', text: 'Account' },
];

/** Switches between the organizations of the user, in every tab; shows only the name if there is just one. */
function OrganizationPicker(props: { readonly currentId: string }): ReactElement | null {
  const { value } = useLoad('records', client.auth.tenants.list);
  const id = useId();
  const [only, ...others] = value?.tenants ?? [];
  if (others.length === 0) return only ? <span>{only.name}</span> : null;
  return (
    <>
      <label htmlFor={id} className="hint">
        Organization
      </label>
      <select
        id={id}
        value={props.currentId}
        onChange={(event) => void client.auth.tenants.switch({ tenantId: event.target.value })}
      >
        {value?.tenants.map((tenant) => (
          <option key={tenant.id} value={tenant.id}>
            {tenant.name}
          </option>
        ))}
      </select>
    </>
  );
}
