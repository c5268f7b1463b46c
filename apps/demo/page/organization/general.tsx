import { useQuery } from '@x/client/react';
import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { useOrganizationId } from '../client/queries.ts';
import { Field } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { useVerdict } from '../form/verdict.tsx';
import { announce } from '../screen/announce.tsx';
import { Loaded } from '../screen/loaded.tsx';
import { t } from '../text/text.ts';
import { organizationById } from './queries.ts';

/** The name of the organization. */
export default function General(): ReactElement {
  const id = useOrganizationId();
  const mayManage = useVerdict('organization:manage');
  return (
    <section aria-label={t.organization.generalForm} className="card">
      <Loaded of={useQuery(organizationById, id)}>
        {({ name, slug, updatedAt }) => (
          <Form
            key={updatedAt}
            label={t.organization.generalForm}
            submit={t.common.save}
            verdict={mayManage}
            send={({ name: renamed = '', slug: short = '' }) =>
              cache.write(() => client.entities.organizations.update(id, { name: renamed, slug: short }), {
                touches: ['organizations'],
              })
            }
            onSent={() => announce(t.common.changed)}
          >
            <Field label={t.organization.name} name="name" defaultValue={name} autoComplete="off" maxLength={300} />
            <Field
              label={t.organization.slug}
              name="slug"
              defaultValue={slug}
              hint={t.project.slugHint}
              autoComplete="off"
              required={false}
            />
          </Form>
        )}
      </Loaded>
    </section>
  );
}
