import type { ClientResult, Page } from '@x/client';
import { useQuery } from '@x/client/react';
import type { ReactElement } from 'react';
import { cache, client, type Resource } from '../client/client.ts';
import { useNames, useOrganizationId } from '../client/queries.ts';
import { RoleMenu } from '../project/role-menu.tsx';
import { LoadedPages } from '../screen/loaded.tsx';
import { Moment, shorten } from '../screen/wording.tsx';
import { roleName } from '../text/names.ts';
import { t } from '../text/text.ts';
import { useResourceNames } from './resource-names.ts';

const guests = cache.pages(['projects', 'roles'], async (organizationId: string, after, options) => {
  const query = { guests: true, limit: 50, ...(after !== null && { after }) };
  return (await client.entities.organizations.members.get(organizationId, query, options)) as ClientResult<Page<Guest>>;
});

/** A role on a project; with `guests`, the list has nothing else. */
interface Guest {
  readonly userId: string;
  readonly email: string;
  readonly role: string;
  readonly resource: Resource;
  readonly grantedBy: string | null;
  readonly grantedAt: string;
}

/** Who has a role on a project itself, and who gave it, for those who manage the organization. */
export function Guests(): ReactElement {
  const state = useQuery(guests, useOrganizationId());
  return (
    <section aria-labelledby="guests" className="card">
      <div>
        <h2 id="guests">{t.organization.guests}</h2>
        <p className="hint">{t.organization.guestsLead}</p>
      </div>
      <LoadedPages of={state} empty={t.organization.noGuests} lines={1}>
        {(items) => <GuestList guests={items} />}
      </LoadedPages>
    </section>
  );
}

function GuestList(props: { readonly guests: readonly Guest[] }): ReactElement {
  const nameOfUser = useNames();
  const nameOf = useResourceNames(props.guests.map(({ resource }) => resource));
  return (
    <ul className="rows">
      {props.guests.map(({ userId, email, role, resource, grantedBy, grantedAt }) => (
        <li key={`${userId} ${resource.id} ${role}`}>
          <span className="grow">
            <strong title={email}>{shorten(email)}</strong> <span className="tag low">{roleName(role)}</span>{' '}
            <a href={`/projects/${resource.id}`}>{nameOf(resource) ?? t.organization.guestProject}</a>{' '}
            <span className="hint">
              {grantedBy !== null && `${t.organization.eventBy(nameOfUser(grantedBy) ?? t.common.somebody)}, `}
              <Moment at={grantedAt} />
            </span>
          </span>
          <RoleMenu projectId={resource.id} userId={userId} name={email} />
        </li>
      ))}
    </ul>
  );
}
