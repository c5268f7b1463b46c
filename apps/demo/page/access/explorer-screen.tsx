import type { AccessTrace } from '@x/access';
import { useQuery } from '@x/client/cache';
import { useAccess } from '@x/client/react';
import type { ReactElement } from 'react';
import { cache, client, type Resource } from '../client/client.ts';
import { useOrganizationId, usePeople, useUser } from '../client/queries.ts';
import { Select } from '../form/field.tsx';
import type { Entitlement } from '../form/verdict.tsx';
import { navigate, usePlace, withQuery } from '../navigation/location.ts';
import { Loaded } from '../screen/loaded.tsx';
import { Screen } from '../screen/screen.tsx';
import { entitlementName } from '../text/names.ts';
import { t } from '../text/text.ts';
import { Everything } from './everything.tsx';
import { Lookup } from './lookup.tsx';
import { entitlementNames } from './model.ts';
import { ResourceSelect, useNameOf } from './resource-select.tsx';
import { TraceFigure } from './trace-figure.tsx';
import { WhoMay } from './who-may.tsx';

/**
 * Shows why a person may do something or not: which role by which path, which plan, the rest of a limit; and which
 * other people may. The question is in the address, and each change of it is answered at once.
 */
export default function ExplorerScreen(): ReactElement {
  const question = useQuestion();
  return (
    <Screen title={t.access.title}>
      <p className="lead">{t.access.lead}</p>
      <section aria-label={t.access.question} className="card ask">
        <PersonSelect person={question.person} />
        <Select
          label={t.access.entitlement}
          name="entitlement"
          options={entitlementNames.map((value) => ({ value, text: `${entitlementName(value)} (${value})` }))}
          value={question.entitlement}
          onChange={({ target }) => navigate(withQuery({ entitlement: target.value }))}
        />
        <ResourceSelect
          resource={question.resource}
          onChosen={({ type, id }) => navigate(withQuery({ resource: `${type}:${id}` }))}
        />
      </section>
      <Answer {...question} />
    </Screen>
  );
}

/** Asks the server why a person may do something, or why not. */
const traces = cache.query(['members', 'plan', 'projects', 'tasks'], ({ person, ...question }: Question, options) =>
  client.request<AccessTrace>('/api/access/explain', {
    ...options,
    method: 'POST',
    body: { ...question, ...(person !== null && { userId: person }) },
  }),
);

/** The question in the address. */
interface Question {
  /** Another person; null for the visitor. */
  readonly person: string | null;
  readonly entitlement: Entitlement;
  readonly resource: Resource;
}

/** Reads the question from the address; by default it is whether the visitor may create projects. */
function useQuestion(): Question {
  const { query } = usePlace();
  const organizationId = useOrganizationId();
  const user = useUser();
  const asked = query.get('entitlement');
  const person = query.get('person');
  const [, type, id] = /^([a-z]+):([0-9a-f-]{36})$/i.exec(query.get('resource') ?? '') ?? [];
  return {
    person: person === user.id ? null : person,
    entitlement: entitlementNames.find((each) => each === asked) ?? 'organization:create-project',
    resource: type !== undefined && id !== undefined ? { type, id } : { type: 'organization', id: organizationId },
  };
}

/** Chooses a person, for those who manage the organization: of others, they alone see what they may do. */
function PersonSelect(props: { readonly person: string | null }): ReactElement | null {
  const { can } = useAccess(client);
  const user = useUser();
  const others = usePeople().filter(({ userId }) => userId !== user.id);
  if (!can('organization:manage') || others.length === 0) return null;
  return (
    <Select
      label={t.access.person}
      name="person"
      options={[
        { value: '', text: t.common.you },
        ...others.map(({ userId, email }) => ({ value: userId, text: email })),
      ]}
      value={props.person ?? ''}
      onChange={({ target }) => navigate(withQuery({ person: target.value }))}
    />
  );
}

function Answer(question: Question): ReactElement {
  const { person, entitlement, resource } = question;
  const nameOf = useNameOf();
  const key = `${entitlement} ${resource.type} ${resource.id}`;
  const trace = useQuery(traces, question);
  if (trace.error?.status === 403 || trace.error?.status === 404) return <p>{t.access.onlyManaging}</p>;
  return (
    <>
      <div aria-live="polite">
        <Loaded of={trace} lines={5}>
          {(shown) => <TraceFigure trace={shown} person={person} nameOf={nameOf} />}
        </Loaded>
      </div>
      <div className="halves">
        <Everything person={person} resource={resource} />
        <div className="stack">
          <WhoMay key={key} {...{ entitlement, resource, nameOf }} />
          {person === null && <Lookup entitlement={entitlement} nameOf={nameOf} />}
        </div>
      </div>
    </>
  );
}
