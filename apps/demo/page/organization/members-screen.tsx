import { type ReactElement, useState } from 'react';
import { useAccess } from '../access/use-access.ts';
import { ActionButton } from '../form/action-button.tsx';
import { EmailField } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { Select } from '../form/select.tsx';
import { tellChange } from '../load/changes.ts';
import { Show } from '../load/show.tsx';
import { Screen } from '../screen/screen.tsx';
import { actOnOrganization, roles, useMembers } from './members.ts';

/** Who is in the organization, as what, and who is to be. */
export function MembersScreen(props: { readonly organizationId: string }): ReactElement {
  const { organizationId } = props;
  const members = useMembers(organizationId);
  const check = useAccess();
  const [isInvited, setInvited] = useState(false);
  const changed = (): void => tellChange('members', 'access', 'projects', 'tasks');
  const setRole = (userId: string, role: string | null): ReturnType<typeof actOnOrganization> =>
    actOnOrganization(organizationId, 'set-role', { userId, role });
  return (
    <Screen title="Members">
      <section aria-label="Members" className="card">
        <Show of={members}>
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
                    send={({ chosen = '' }) => setRole(userId, chosen)}
                    onSent={changed}
                  >
                    <Select label="Role" name="chosen" options={options} defaultValue={role} />
                  </Form>
                  <ActionButton
                    label={`Remove ${email}`}
                    className="danger"
                    check={check('organization:manage')}
                    send={() => setRole(userId, null)}
                    onSent={changed}
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
          send={({ email, role }) => actOnOrganization(organizationId, 'invite', { email, role })}
          onSent={() => {
            setInvited(true);
            changed();
          }}
        >
          <EmailField autoComplete="off" />
          <Select label="Role" name="role" options={options} defaultValue="member" />
        </Form>
        <p role="status">{isInvited && 'A mail is on its way. Whoever has proven the address is in.'}</p>
      </section>
    </Screen>
  );
}

const options = roles.map((role) => ({ value: role, text: role }));
