import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { Field } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { navigate } from '../navigation/location.ts';
import { announce } from '../screen/announce.tsx';
import { t } from '../text/text.ts';

/** A form for another organization. */
export default function NewOrganization(): ReactElement {
  return (
    <Form label={t.organization.createForm} submit={t.organization.create} send={({ name = '' }) => create(name)}>
      <p>{t.organization.createBody}</p>
      <Field label={t.organization.name} name="name" maxLength={300} />
    </Form>
  );
}

/** Creates an organization, and continues in it. */
async function create(name: string) {
  const created = await cache.write(() => client.entities.organizations.create({ name }), {
    touches: ['organizations'],
  });
  if (!created.ok) return created;
  const switched = await client.auth.tenants.switch({ tenantId: created.data.id });
  if (switched.ok) navigate('/');
  announce(t.organization.created(name));
  return switched;
}
