import { useAccess } from '@x/client/react';
import type { Member, MembersState } from '@x/organizations/react';
import type { ReactElement } from 'react';
import { client } from '../client/client.ts';
import { useUser } from '../client/queries.ts';
import { ConfirmButton } from '../form/confirm-button.tsx';
import { chosenOf, Select } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { SearchField } from '../form/search-field.tsx';
import { usePlace } from '../navigation/location.ts';
import { announce } from '../screen/announce.tsx';
import { LoadedPages } from '../screen/loaded.tsx';
import { roleName, toOptions } from '../text/names.ts';
import { t } from '../text/text.ts';
import { Guests } from './guests.tsx';
import { Invitations, InviteForm } from './invitations.tsx';
import { Links } from './links.tsx';
import { organizationRoles, useMembers } from './queries.ts';

/** The members of the organization with their roles, who was invited, the links by which others can join, and guests. */
export default function Members(): ReactElement {
  const { can } = useAccess(client);
  return (
    <>
      <MemberList />
      <InviteForm />
      {can('organization:invite') && (
        <div className="halves">
          <Invitations />
          <Links />
        </div>
      )}
      {can('organization:manage') && <Guests />}
    </>
  );
}

function MemberList(): ReactElement {
  const { status, can } = useAccess(client);
  const search = (usePlace().query.get('search') ?? '').slice(0, 320);
  const members = useMembers({ search });
  const mayManage = can('organization:manage');
  return (
    <section aria-label={t.organization.members} className="card">
      <div className="toolbar">
        <SearchField label={t.organization.searchMembers} name="search" />
        {status === 'ready' && !mayManage && <span className="hint">{t.organization.readOnly}</span>}
      </div>
      <LoadedPages of={members} empty={t.organization.noMember}>
        {(items) => (
          <ul className="rows members">
            {items.map((member) => (
              <MemberRow key={`${member.userId} ${member.role}`} {...{ member, members, mayManage }} />
            ))}
          </ul>
        )}
      </LoadedPages>
    </section>
  );
}

function MemberRow(props: {
  readonly member: Member;
  readonly members: Pick<MembersState<(typeof organizationRoles)[number]>, 'setRole' | 'remove'>;
  readonly mayManage: boolean;
}): ReactElement {
  const { member, members, mayManage } = props;
  const { userId, email, role } = member;
  const user = useUser();
  const isSelf = userId === user.id;
  return (
    <li>
      <span className="grow">
        <strong>{email}</strong> {isSelf && <span className="tag low">{t.common.you}</span>}
      </span>
      {mayManage ? (
        <>
          <Form
            label={t.organization.roleOf(email)}
            submit={t.organization.set}
            className="form row inline"
            tone="plain"
            send={({ chosen }) => members.setRole(userId, chosenOf(organizationRoles, chosen))}
            onSent={() => announce(t.common.changed)}
          >
            <Select
              label={t.organization.role}
              name="chosen"
              options={toOptions(organizationRoles, roleName)}
              defaultValue={role}
            />
          </Form>
          <ConfirmButton
            title={t.organization.removeLabel(email)}
            body={t.organization.removeBody(email)}
            submit={t.organization.remove}
            label={t.organization.removeLabel(email)}
            className="danger quiet"
            send={() => members.remove(userId)}
            onSent={() => announce(t.organization.removed(email))}
          >
            {t.organization.remove}
          </ConfirmButton>
        </>
      ) : (
        <span className="tag low">{roleName(role)}</span>
      )}
    </li>
  );
}
