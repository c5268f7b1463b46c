import { useAccess } from '@x/client/react';
import { type ReactElement, useState } from 'react';
import { client } from '../client/client.ts';
import { Show, useLoad } from '../client/load.tsx';
import { ActionButton } from '../form/action-button.tsx';
import { chosenOf, EmailField, Select } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { Screen } from '../screen/screen.tsx';

/** The members of the organization with their roles, and a form that invites more. */
export function MembersScreen(props: { readonly organizationId: string }): ReactElement {
  const { organizationId } = props;
  const { setRole, invite, members } = client.entities.organizations;
  const listed = useLoad('records', (options) => members.get(organizationId, options));
  const { check } = useAccess(client);
  const [isInvited, setInvited] = useState(false);
  return (
    <Screen title="Members">
      <section aria-label="Members" className="card">
        <Show of={listed}>
          {(list) => (
            <ul className="rows members">
              {list.members.map(({ userId, email, role }) => (
                <li key={`${userId} ${role}`}>
                  <strong>{email}</strong>
                  <Form
                    label={`Role of ${email}`}
                    submit="Set"
                    className="form row"
                    tone="plain"
                    check={check('organization:manage')}
                    send={({ chosen }) => setRole(organizationId, { userId, role: chosenOf(roles, chosen) })}
                  >
                    <Select label="Role" name="chosen" options={roles} defaultValue={role} />
                  </Form>
                  <ActionButton
                    label={`Remove ${email}`}
                    className="danger"
                    check={check('organization:manage')}
                    send={() => setRole(organizationId, { userId, role: null })}
                  >
                    Remove
                  </ActionButton>
                </li>
              ))}
            </ul>
          )}
        </Show>
      </section>
      <section aria-labelledby="invite" className="card">
        <h2 id="invite">Invite somebody</h2>
        <Form
          label="Invite somebody"
          submit="Invite"
          className="form row"
          clears
          check={check('organization:invite')}
          send={({ email = '', role }) => invite(organizationId, { email, role: chosenOf(roles, role) })}
          onSent={() => setInvited(true)}
        >
          <EmailField autoComplete="off" />
          <Select label="Role" name="role" options={roles} />
        </Form>
        <p role="status">{isInvited && 'A mail is on its way. Whoever has proven the address is in.'}</p>
      </section>
    </Screen>
  );
}

const roles = ['member', 'admin', 'owner'] as const;
