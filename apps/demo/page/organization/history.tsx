import { useAccess, useQuery } from '@x/client/react';
import type { ReactElement } from 'react';
import { cache, client, type Resource } from '../client/client.ts';
import { useNames, useOrganizationId } from '../client/queries.ts';
import { Days, TimeOfDay } from '../screen/days.tsx';
import { Loaded, LoadedPages } from '../screen/loaded.tsx';
import { Skeleton } from '../screen/skeleton.tsx';
import { toSentence } from '../screen/wording.tsx';
import { addOnName, planName, roleName } from '../text/names.ts';
import { t } from '../text/text.ts';
import { useResourceNames } from './resource-names.ts';
import { WhoManages } from './who-manages.tsx';

const eventPages = cache.pages(
  ['members', 'plan', 'invitations', 'links', 'projects', 'roles'],
  (organizationId: string, after, options) =>
    client.entities.organizations.events.get(organizationId, { limit: 50, ...(after !== null && { after }) }, options),
);

/** The changes of the organization, the latest first, for those who manage it. */
export default function History(): ReactElement {
  const { status, can } = useAccess(client);
  if (can('organization:manage')) return <Events />;
  return status === 'ready' ? <WhoManages text={t.organization.historyDenied} /> : <AccessInProgress />;
}

/** It is not aborted when the viewer leaves, because all screens wait for it. */
const accessSet = cache.query([], () => client.access.refresh());

/** Shown until it is known whether the viewer manages the organization, or why that can't be known. */
function AccessInProgress(): ReactElement {
  return (
    <Loaded of={useQuery(accessSet, undefined)} lines={4}>
      {() => <Skeleton lines={4} />}
    </Loaded>
  );
}

function Events(): ReactElement {
  return (
    <LoadedPages of={useQuery(eventPages, useOrganizationId())} empty={t.organization.noHistory}>
      {(events) => (
        <section aria-label={t.organization.parts.history} className="card">
          <Told events={events} />
        </section>
      )}
    </LoadedPages>
  );
}

interface Event {
  readonly id: string;
  readonly type: string;
  readonly at: string;
  readonly userId: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

function Told(props: { readonly events: readonly Event[] }): ReactElement {
  const { events } = props;
  const nameOf = useResourceNames(events.flatMap(({ detail }) => Object.values(detail).filter(isResource)));
  const nameOfUser = useNames();
  const personOf = (userId: string): string => nameOfUser(userId) ?? t.history.somebody;
  return (
    <Days of={events}>
      {(event) => (
        <li key={event.id}>
          <Sentence text={describe(event, { nameOf, personOf })} />
          <TimeOfDay at={event.at} />
        </li>
      )}
    </Days>
  );
}

/** What has happened; names that are too long for a few lines are cut, and can be read in full by pointing at them. */
function Sentence(props: { readonly text: string }): ReactElement {
  return (
    <span className="grow history-sentence" title={props.text}>
      {props.text}
    </span>
  );
}

/** How resources and people are named. */
interface Names {
  readonly nameOf: (resource: Resource) => string | undefined;
  readonly personOf: (userId: string) => string;
}

/** Tells an event in one sentence: who has done what, to whom, and where. */
function describe({ type, userId, detail }: Event, { nameOf, personOf }: Names): string {
  const { by, resource, parent, from, to, role, plan, email, addOn } = detail;
  const whatOf = (value: unknown): string => (isResource(value) ? t.history.what(value.type, nameOf(value)) : '');
  const whereOf = (value: unknown): string => (isResource(value) ? t.history.where(value.type, nameOf(value)) : '');
  const concerned = userId ?? detail['userId'];
  const tell = t.history.sentences[type] ?? (({ author }) => `${author}: ${toSentence(type)}`);
  return tell({
    author: typeof by === 'string' ? personOf(by) : 'Tracker',
    person: typeof concerned === 'string' ? personOf(concerned) : t.history.somebody,
    isSelf: concerned === by,
    what: whatOf(resource),
    where: whereOf(parent ?? resource),
    from: whereOf(from),
    to: whereOf(to),
    role: typeof role === 'string' ? roleName(role) : '',
    plan: typeof plan === 'string' ? planName(plan) : '',
    email: typeof email === 'string' ? email : '',
    addOn: typeof addOn === 'string' ? addOnName(addOn) : '',
  });
}

function isResource(value: unknown): value is Resource {
  return value instanceof Object && 'type' in value && 'id' in value;
}
