import type { ClientError, ClientResult } from '@x/client';
import type { Member } from '@x/organizations/react';
import { type ReactElement, use, useState } from 'react';
import { useUser } from '../client/queries.ts';
import { chosenOf } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { WithProof } from '../form/with-proof.ts';
import { announce } from '../screen/announce.tsx';
import { Dialog } from '../screen/dialog.tsx';
import { useKeptFocus } from '../screen/screen.tsx';
import { toErrorText } from '../screen/wording.tsx';
import { roleName } from '../text/names.ts';
import { t } from '../text/text.ts';
import { organizationRoles, rankOf, type OrganizationRole } from './queries.ts';

/** Gives a member another role as soon as it is chosen. Who would lose a role of their own is asked first. */
export function RoleSelect(props: {
  readonly member: Member<OrganizationRole>;
  readonly setRole: (userId: string, role: OrganizationRole) => Promise<ClientResult<unknown>>;
}): ReactElement {
  const { userId, email, role } = props.member;
  const isSelf = userId === useUser().id;
  const withProof = use(WithProof);
  const select = useKeptFocus<HTMLSelectElement>();
  const [asked, setAsked] = useState<OrganizationRole | null>(null);
  const [error, setError] = useState<ClientError | null>(null);
  const give = (wanted: OrganizationRole) => props.setRole(userId, wanted);
  const onGiven = (given: OrganizationRole): void => announce(t.organization.roleGiven(email, roleName(given)));
  const onChosen = async (wanted: OrganizationRole): Promise<void> => {
    if (isSelf && rankOf(wanted) < rankOf(role)) return setAsked(wanted);
    const result = await withProof(() => give(wanted));
    setError(result.ok ? null : result.error);
    if (result.ok) onGiven(wanted);
  };
  return (
    <>
      <select
        ref={select}
        aria-label={t.organization.roleOf(email)}
        value={role}
        onChange={({ target }) => void onChosen(chosenOf(organizationRoles, target.value))}
      >
        {organizationRoles.map((name) => (
          <option key={name} value={name}>
            {roleName(name)}
          </option>
        ))}
      </select>
      {error && (
        <p role="alert" className="error">
          {toErrorText(error)}
        </p>
      )}
      {asked && (
        <Dialog title={t.organization.giveUp(roleName(role))} onClose={() => setAsked(null)}>
          <p>{t.organization.giveUpBody(roleName(asked))}</p>
          <Form
            label={t.organization.giveUp(roleName(role))}
            submit={t.organization.giveUpSubmit(roleName(asked))}
            className="form confirm"
            tone="danger"
            send={() => give(asked)}
            onSent={() => {
              setAsked(null);
              onGiven(asked);
            }}
          >
            <button type="button" onClick={() => setAsked(null)}>
              {t.common.cancel}
            </button>
          </Form>
        </Dialog>
      )}
    </>
  );
}
