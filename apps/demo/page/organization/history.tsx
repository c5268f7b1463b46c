import { useQuery } from '@x/client/cache';
import { useAccess } from '@x/client/react';
import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { useNames, useOrganizationId } from '../client/queries.ts';
import { LoadedPages } from '../screen/loaded.tsx';
import { Moment, toSentence } from '../screen/wording.tsx';
import { t } from '../text/text.ts';

const eventPages = cache.pages(
  ['members', 'plan', 'invitations', 'links', 'projects'],
  (organizationId: string, after, options) =>
    client.entities.organizations.events.get(organizationId, { limit: 50, ...(after !== null && { after }) }, options),
);

/** The changes of the organization, the latest first, for those who manage it. */
export default function History(): ReactElement {
  const { status, can } = useAccess(client);
  return (
    <section aria-label={t.organization.parts.history} className="card">
      {can('organization:manage') ? <Events /> : <p>{status === 'ready' ? t.organization.historyDenied : ''}</p>}
    </section>
  );
}

function Events(): ReactElement {
  const nameOf = useNames();
  return (
    <LoadedPages of={useQuery(eventPages, useOrganizationId())} empty={t.organization.noHistory}>
      {(events) => (
        <ul className="rows">
          {events.map(({ id, type, at, userId, detail }) => (
            <li key={id}>
              <div className="grow">
                {toSentence(type)}
                {userId !== null && <> · {nameOf(userId) ?? t.common.somebody}</>}
                <p className="hint">{describe(detail, nameOf)}</p>
              </div>
              <Moment at={at} />
            </li>
          ))}
        </ul>
      )}
    </LoadedPages>
  );
}

/** The words in the details of an event: a role, a plan, an address, and who did it. */
function describe(
  detail: Readonly<Record<string, unknown>>,
  nameOf: (userId: string | null) => string | undefined,
): string {
  const { by, ...rest } = detail;
  const words = Object.values(rest).filter((value) => typeof value === 'string' && !/^[0-9a-f-]{36}$/.test(value));
  const author = typeof by === 'string' ? [t.organization.eventBy(nameOf(by) ?? t.common.somebody)] : [];
  return [...words, ...author].join(', ');
}
