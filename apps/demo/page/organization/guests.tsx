import type { ClientResult, Page } from '@x/client';
import { useQuery } from '@x/client/cache';
import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { useNames, useOrganizationId } from '../client/queries.ts';
import { LoadedPages } from '../screen/loaded.tsx';
import { Moment } from '../screen/wording.tsx';
import { roleName } from '../text/names.ts';
import { t } from '../text/text.ts';

const guests = cache.pages(['members', 'projects'], async (organizationId: string, after, options) => {
  const query = { guests: true, limit: 50, ...(after !== null && { after }) };
  return (await client.entities.organizations.members.get(organizationId, query, options)) as ClientResult<Page<Guest>>;
});

/** A role on a project; with `guests`, the list has nothing else. */
interface Guest {
  readonly userId: string;
  readonly email: string;
  readonly role: string;
  readonly resource: { readonly type: string; readonly id: string };
  readonly grantedBy: string | null;
  readonly grantedAt: string;
}

/** Who has a role on a project itself, and who gave it, for those who manage the organization. */
export function Guests(): ReactElement {
  const nameOf = useNames();
  return (
    <section aria-labelledby="guests" className="card">
      <h2 id="guests">{t.organization.guests}</h2>
      <p className="hint">{t.organization.guestsLead}</p>
      <LoadedPages of={useQuery(guests, useOrganizationId())} empty={t.organization.noGuests} lines={2}>
        {(items) => (
          <ul className="rows">
            {items.map(({ userId, email, role, resource, grantedBy, grantedAt }) => (
              <li key={`${userId} ${resource.id} ${role}`}>
                <span className="grow">
                  <strong>{email}</strong> <span className="tag low">{roleName(role)}</span>{' '}
                  <a href={`/projects/${resource.id}`}>{t.organization.guestProject}</a>{' '}
                  {grantedBy !== null && (
                    <span className="hint">{t.organization.eventBy(nameOf(grantedBy) ?? t.common.somebody)}</span>
                  )}
                </span>
                <Moment at={grantedAt} />
              </li>
            ))}
          </ul>
        )}
      </LoadedPages>
    </section>
  );
}
