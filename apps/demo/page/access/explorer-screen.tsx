import { useAccess, useQuery } from '@x/client/react';
import { type ReactElement, useState } from 'react';
import { client, type Resource } from '../client/client.ts';
import { useOrganizationId, usePeople, useUser } from '../client/queries.ts';
import { Select } from '../form/field.tsx';
import { navigate, usePlace, withQuery } from '../navigation/location.ts';
import { Loaded } from '../screen/loaded.tsx';
import { Screen } from '../screen/screen.tsx';
import { entitlementName } from '../text/names.ts';
import { t } from '../text/text.ts';
import { tools } from '../text/tools.ts';
import { Lookup } from './lookup.tsx';
import { MatrixOfAll, MatrixOfOne } from './matrix.tsx';
import { entitlementNames, entitlementsFrom, entitlementsOf } from './model.ts';
import { ownMarks, type Question, traces } from './queries.ts';
import { type NameOf, ResourceSelect, useNameOf } from './resource-select.tsx';
import { TraceFigure } from './trace-figure.tsx';

/**
 * Shows why a person may do something or not, layer by layer, and who may do what with the same resource. The question
 * is in the address, and each change of it is answered at once.
 */
export default function ExplorerScreen(): ReactElement {
  const question = useQuestion();
  const nameOf = useNameOf();
  return (
    <Screen title={tools.access.title}>
      <p className="lead">{tools.access.lead}</p>
      <section aria-label={tools.access.question} className="card ask">
        <PersonSelect person={question.person} />
        <EntitlementSelect {...question} />
        <ResourceSelect resource={question.resource} onChosen={(resource) => choose(question, resource)} />
      </section>
      <Answer question={question} nameOf={nameOf} />
      <All question={question} nameOf={nameOf} />
      {question.person === null && <Lookup entitlement={question.entitlement} nameOf={nameOf} />}
    </Screen>
  );
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

/** Asks about another resource: the same, where that can be asked about it. */
function choose({ entitlement }: Question, { type, id }: Resource): void {
  const names = entitlementsFrom(type);
  const next = names.includes(entitlement) ? entitlement : (names[0] ?? entitlement);
  navigate(withQuery({ entitlement: next, resource: `${type}:${id}` }));
}

/** Chooses a person, for those who manage something: of others, they alone see what they may do. */
function PersonSelect({ person }: Pick<Question, 'person'>): ReactElement | null {
  const { can } = useAccess(client);
  const user = useUser();
  const members = usePeople().filter(({ userId }) => userId !== user.id);
  const isGuest = person !== null && !members.some(({ userId }) => userId === person);
  const others = isGuest ? [...members, { userId: person, email: t.access.userId(person) }] : members;
  if ((!can('organization:manage') && person === null) || others.length === 0) return null;
  return (
    <Select
      label={tools.access.person}
      name="person"
      options={[
        { value: '', text: t.common.you },
        ...others.map(({ userId, email }) => ({ value: userId, text: email })),
      ]}
      value={person ?? ''}
      onChange={({ target }) => navigate(withQuery({ person: target.value }))}
    />
  );
}

/** Chooses what to do: all that a role on the resource can allow, and what was asked for. */
function EntitlementSelect({ entitlement, resource }: Question): ReactElement {
  const names = entitlementsFrom(resource.type);
  return (
    <Select
      label={tools.access.entitlement}
      name="entitlement"
      options={[...new Set([...names, entitlement])].map((value) => ({
        value,
        text: `${entitlementName(value)} (${value})`,
      }))}
      value={entitlement}
      onChange={({ target }) => navigate(withQuery({ entitlement: target.value }))}
    />
  );
}

/** The answer to the question; until it is there, the last one stays in its place. */
function Answer(props: { readonly question: Question; readonly nameOf: NameOf }): ReactElement {
  const { question, nameOf } = props;
  const trace = useQuery(traces, question);
  const [last, setLast] = useState({ trace: trace.data, person: question.person });
  if (trace.data && trace.data !== last.trace) setLast({ trace: trace.data, person: question.person });
  if (trace.error?.status === 403 || trace.error?.status === 404) return <p>{tools.access.onlyManaging}</p>;
  const waits = trace.data === undefined && !trace.error && last.trace;
  return (
    <div aria-live="polite" aria-busy={Boolean(waits)}>
      {waits ? (
        <TraceFigure trace={waits} person={last.person} nameOf={nameOf} />
      ) : (
        <Loaded of={trace} lines={9}>
          {(shown) => <TraceFigure trace={shown} person={question.person} nameOf={nameOf} />}
        </Loaded>
      )}
    </div>
  );
}

/** What people may do with the resource: all people for those who manage it, for others themselves. */
function All(props: { readonly question: Question; readonly nameOf: NameOf }): ReactElement | null {
  const { resource } = props.question;
  const own = useQuery(ownMarks, resource);
  if (entitlementsOf(resource.type).length === 0) return null;
  return (
    <Loaded of={own} lines={4}>
      {({ allowed, isManager }) =>
        isManager ? <MatrixOfAll {...props} /> : <MatrixOfOne {...props} allowed={allowed} />
      }
    </Loaded>
  );
}
