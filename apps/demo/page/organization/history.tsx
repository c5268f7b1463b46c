import { useQuery } from '@x/client/cache';
import { useAccess } from '@x/client/react';
import type { ReactElement } from 'react';
import { type NameOf, useNameOf } from '../access/resource-select.tsx';
import { cache, client, type Resource } from '../client/client.ts';
import { useNames, useOrganizationId } from '../client/queries.ts';
import { LoadedPages } from '../screen/loaded.tsx';
import { Moment, toSentence } from '../screen/wording.tsx';
import { planName, roleName } from '../text/names.ts';
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
  const nameOf = useNameOf();
  const nameOfUser = useNames();
  const personOf = (userId: string): string => nameOfUser(userId) ?? t.common.somebody;
  return (
    <LoadedPages of={useQuery(eventPages, useOrganizationId())} empty={t.organization.noHistory}>
      {(events) => (
        <ul className="rows">
          {events.map(({ id, type, at, userId, detail }) => (
            <li key={id}>
              <div className="grow">
                {toSentence(type)}
                {userId !== null && <> · {personOf(userId)}</>}
                <p className="hint">{describe(detail, { nameOf, personOf })}</p>
              </div>
              <Moment at={at} />
            </li>
          ))}
        </ul>
      )}
    </LoadedPages>
  );
}

/** What an event is about, in words: where, who, as what, and by whom. */
function describe({ by, ...detail }: Readonly<Record<string, unknown>>, { nameOf, personOf }: Names): string {
  const { resource, parent, userId, role, plan, ...rest } = detail;
  const words = [
    isResource(resource) &&
      (isResource(parent) ? t.organization.within(nameOf(resource), nameOf(parent)) : nameOf(resource)),
    typeof userId === 'string' && personOf(userId),
    typeof role === 'string' && roleName(role),
    typeof plan === 'string' && planName(plan),
    ...Object.values(rest).filter((value) => typeof value === 'string' && !isForPrograms(value)),
    typeof by === 'string' && t.organization.eventBy(personOf(by)),
  ];
  return words.filter((word) => typeof word === 'string').join(', ');
}

/** How resources and people are named. */
interface Names {
  readonly nameOf: NameOf;
  readonly personOf: (userId: string) => string;
}

function isResource(value: unknown): value is Resource {
  return value instanceof Object && 'type' in value && 'id' in value;
}

/** Whether a text is an id, a moment or the name of a group of plans. */
function isForPrograms(text: string): boolean {
  return /^([0-9a-f-]{36}|\d{4}-\d\d-\d\dT.*|base)$/.test(text);
}
