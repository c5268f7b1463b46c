import type { AccessTrace } from '@x/access';
import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { useOrganizationId } from '../client/queries.ts';
import { ActionButton } from '../form/action-button.tsx';
import { chosenOf } from '../form/field.tsx';
import { organizationRoles } from '../organization/queries.ts';
import { announce } from '../screen/announce.tsx';
import { shorten } from '../screen/wording.tsx';
import { roleName } from '../text/names.ts';
import { tools } from '../text/tools.ts';
import { findGrant, type Grant } from './grants.ts';
import type { NameOf } from './resource-select.tsx';

/** Gives another person the lowest role that is enough, where roles can be given. */
export function GrantButton(props: {
  readonly trace: AccessTrace;
  readonly person: string;
  readonly nameOf: NameOf;
}): ReactElement | null {
  const { trace, person, nameOf } = props;
  const organizationId = useOrganizationId();
  const grant = findGrant(trace);
  if (!grant) return null;
  const { resource, role } = grant;
  return (
    <ActionButton
      className="primary"
      send={() => giveRole(person, grant, organizationId)}
      onSent={() => announce(tools.access.granted(roleName(role), nameOf(resource)))}
    >
      {tools.access.grant(roleName(role), shorten(nameOf(resource)))}
    </ActionButton>
  );
}

const projectRoles = ['manager', 'contributor', 'viewer'] as const;

function giveRole(userId: string, { resource, role }: Grant, organizationId: string) {
  return cache.write(
    async () =>
      resource.type === 'project'
        ? await client.entities.projects.share(resource.id, { userId, role: chosenOf(projectRoles, role) })
        : await client.entities.organizations.setRole(organizationId, {
            userId,
            role: chosenOf(organizationRoles, role),
          }),
    { touches: ['members', 'projects', 'roles', 'tasks', 'plan'] },
  );
}
