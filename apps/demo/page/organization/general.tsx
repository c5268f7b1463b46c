import { useQuery } from '@x/client/react';
import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { mergeRecord } from '../client/merge-rows.ts';
import { useOrganizationId } from '../client/queries.ts';
import { Field } from '../form/field.tsx';
import { changesOf, useEdited } from '../form/edited.ts';
import { Form } from '../form/form.tsx';
import { useVerdict } from '../form/verdict.tsx';
import { announce } from '../screen/announce.tsx';
import { Loaded } from '../screen/loaded.tsx';
import { t } from '../text/text.ts';
import { organizationById } from './queries.ts';

/** The name of the organization. */
export default function General(): ReactElement {
  const id = useOrganizationId();
  return (
    <section aria-label={t.organization.generalForm} className="card">
      <Loaded of={useQuery(organizationById, id)}>
        {(organization) => <GeneralForm organization={organization} />}
      </Loaded>
    </section>
  );
}

interface Organization {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly updatedAt: string;
}

function GeneralForm(props: { readonly organization: Organization }): ReactElement {
  const mayManage = useVerdict('organization:manage');
  const { shown, onTyped, onSent } = useEdited(props.organization);
  const { id, name, slug } = shown;
  return (
    <Form
      key={shown.updatedAt}
      label={t.organization.generalForm}
      submit={t.common.save}
      verdict={mayManage}
      onTyped={onTyped}
      send={({ name: renamed = '', slug: short = '' }) =>
        cache.write(
          () => client.entities.organizations.update(id, changesOf({ name: renamed, slug: short }, { name, slug })),
          {
            touches: ['organizations'],
            merge: ({ data }) => [
              organizationById.merge((shown, of) => (of === id ? mergeRecord(shown, data) : shown)),
            ],
          },
        )
      }
      onSent={() => {
        onSent();
        announce(t.common.changed);
      }}
    >
      <Field label={t.organization.name} name="name" defaultValue={name} maxLength={300} />
      <Field label={t.organization.slug} name="slug" defaultValue={slug} hint={t.project.slugHint} required={false} />
    </Form>
  );
}
