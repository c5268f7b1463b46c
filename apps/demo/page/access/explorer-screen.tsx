import { useQuery } from '@x/client/cache';
import type { ReactElement } from 'react';
import { type Resource, traces } from '../client/client.ts';
import { useOrganizationId } from '../client/queries.ts';
import { Select } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import type { Entitlement } from '../form/verdict.tsx';
import { navigate, usePlace, withQuery } from '../navigation/location.ts';
import { Loaded } from '../screen/loaded.tsx';
import { Screen } from '../screen/screen.tsx';
import { t } from '../text/text.ts';
import { Everything } from './everything.tsx';
import { Lookup } from './lookup.tsx';
import { entitlementNames } from './model.ts';
import { ResourceSelect, useNameOf } from './resource-select.tsx';
import { TraceFigure } from './trace-figure.tsx';
import { WhoMay } from './who-may.tsx';

/**
 * Shows why something is allowed or not: which role by which path, which plan, the rest of a limit; and which other
 * users may.
 */
export default function ExplorerScreen(): ReactElement {
  const question = useQuestion();
  return (
    <Screen title={t.access.title}>
      <p className="lead">{t.access.lead}</p>
      <section aria-label={t.access.question} className="card">
        <Form
          key={`${question.entitlement} ${question.resource.id}`}
          label={t.access.question}
          submit={t.access.explain}
          className="form ask"
          send={async ({ entitlement = '', resource = '' }) => {
            navigate(withQuery({ entitlement, resource }));
            // A user who asks the same again wants to know whether something has changed.
            void traces.at(toQuestion(entitlement, resource)).getSnapshot().reload();
            return { ok: true, value: undefined, data: undefined };
          }}
        >
          <Select
            label={t.access.entitlement}
            name="entitlement"
            options={entitlementNames}
            defaultValue={question.entitlement}
          />
          <ResourceSelect resource={question.resource} />
        </Form>
      </section>
      {question.isAsked && <Answer {...question} />}
    </Screen>
  );
}

/** The question in the address. */
interface Question {
  readonly entitlement: Entitlement;
  readonly resource: Resource;
  readonly isAsked: boolean;
}

function toQuestion(entitlement: string, text: string): { readonly entitlement: string; readonly resource: Resource } {
  const [type = '', id = ''] = text.split(':');
  return { entitlement, resource: { type, id } };
}

/** Reads the question from the address; by default it is about the organization. */
function useQuestion(): Question {
  const { query } = usePlace();
  const organizationId = useOrganizationId();
  const asked = query.get('entitlement');
  const entitlement = entitlementNames.find((each) => each === asked);
  const text = query.get('resource') ?? '';
  const isOfResource = /^[a-z]+:[0-9a-f-]{36}$/i.test(text);
  return {
    entitlement: entitlement ?? 'organization:read',
    resource: isOfResource ? toQuestion('', text).resource : { type: 'organization', id: organizationId },
    isAsked: entitlement !== undefined,
  };
}

function Answer({ entitlement, resource }: Question): ReactElement {
  const nameOf = useNameOf();
  const key = `${entitlement} ${resource.type} ${resource.id}`;
  return (
    <>
      <div aria-live="polite">
        <Loaded of={useQuery(traces, { entitlement, resource })} lines={5}>
          {(trace) => <TraceFigure trace={trace} nameOf={nameOf} />}
        </Loaded>
      </div>
      <div className="halves">
        <Everything resource={resource} />
        <div className="stack">
          <WhoMay key={key} {...{ entitlement, resource, nameOf }} />
          <Lookup entitlement={entitlement} nameOf={nameOf} />
        </div>
      </div>
    </>
  );
}
