import type { User } from '@x/auth';
import type { Serialized } from '@x/client';
import { type ReactElement, useEffect } from 'react';
import { ExplorerScreen } from '../access/explorer-screen.tsx';
import { AccountScreen } from '../account/account-screen.tsx';
import { client } from '../client.ts';
import { onChangeElsewhere } from '../load/changes.ts';
import { useLoad } from '../load/use-load.ts';
import { MembersScreen } from '../organization/members-screen.tsx';
import { PlanContext } from '../plan/plan-context.ts';
import { ProjectScreen } from '../project/project-screen.tsx';
import { ProjectsScreen } from '../project/projects-screen.tsx';
import { VaultScreen } from '../vault/vault-screen.tsx';
import { VerificationReminder } from '../verification/verification-reminder.tsx';
import { Header } from './header.tsx';
import { SkipLink } from './skip-link.tsx';

/** All that somebody sees who is signed in; most of it is of the organization that they are at work in. */
export function Workspace(props: { readonly user: Serialized<User>; readonly place: string }): ReactElement {
  const { user, place } = props;
  const plan = useLoad('records', (options) => client.entities.organizations.plan.get(user.tenantId ?? '', options));
  // What this tab writes the client knows of.
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
