import { useAccess } from '@x/client/react';
import type { Member, MembersState } from '@x/organizations/react';
import { UserMinus } from 'lucide-react';
import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { useUser } from '../client/queries.ts';
import { ConfirmButton } from '../form/confirm-button.tsx';
import { SearchField } from '../form/search-field.tsx';
import { usePlace } from '../navigation/location.ts';
import { announce } from '../screen/announce.tsx';
import { Avatar } from '../screen/avatar.tsx';
import { LoadedPages } from '../screen/loaded.tsx';
import { Menu } from '../screen/menu.tsx';
import { shorten, toErrorText } from '../screen/wording.tsx';
import { roleName } from '../text/names.ts';
import { t } from '../text/text.ts';
import { Guests } from './guests.tsx';
import { Invitations, InviteForm } from './invitations.tsx';
import { Links } from './links.tsx';
import { type OrganizationRole, rankOf, useMembers } from './queries.ts';
import { RoleSelect } from './role-select.tsx';
import { WhoManages } from './who-manages.tsx';

/** The members of the organization with their roles, who was invited, the links by which others can join, and guests. */
export default function Members(): ReactElement {
  const { status, can } = useAccess(client);
  const isPlain = status === 'ready' && !can('organization:invite');
  return (
    <>
      {isPlain ? <WhoManages text={t.organization.readOnly} /> : <InviteForm />}
      <MemberList />
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

type State = MembersState<OrganizationRole>;

function MemberList(): ReactElement {
  const search = (usePlace().query.get('search') ?? '').slice(0, 320);
  const members: State = useMembers({ search });
  const mayManage = useAccess(client).can('organization:manage');
  return (
    <section aria-label={t.organization.members} className="card">
      <SearchField label={t.organization.searchMembers} name="search" />
      <LoadedPages of={members} empty={t.organization.noMember}>
        {(items) => (
          <ul className="rows members">
            {eachOnce(items).map((member) => (
              <MemberRow key={member.userId} {...{ member, members, mayManage }} />
            ))}
          </ul>
        )}
      </LoadedPages>
    </section>
  );
}

/** Who has several roles is listed with each: the highest counts. */
function eachOnce(members: readonly Member<OrganizationRole>[]): readonly Member<OrganizationRole>[] {
  const byPerson = new Map<string, Member<OrganizationRole>>();
  for (const member of members) {
    const before = byPerson.get(member.userId);
    if (!before || rankOf(before.role) < rankOf(member.role)) byPerson.set(member.userId, member);
  }
  return [...byPerson.values()];
}

function MemberRow(props: {
  readonly member: Member<OrganizationRole>;
  readonly members: Pick<State, 'setRole' | 'remove'>;
  readonly mayManage: boolean;
}): ReactElement {
  const { member, members, mayManage } = props;
  const { userId, email, role } = member;
  const isSelf = userId === useUser().id;
  /** A row that comes back has no place for the reason. */
  const remove = async () => {
    const result = await members.remove(userId);
    // They also lose their roles on projects.
    if (result.ok) cache.invalidate(['roles']);
    announce(result.ok ? t.organization.removed(email) : toErrorText(result.error));
    return result;
  };
  return (
    <li>
      <Avatar name={email} />
      <span className="grow">
        <strong title={email}>{shorten(email)}</strong> {isSelf && <span className="tag low">{t.common.you}</span>}
      </span>
      {mayManage ? (
        <div className="actions end">
          <RoleSelect member={member} setRole={members.setRole} />
          <Menu label={t.common.moreFor(email)}>
            {() => (
              <ConfirmButton
                title={t.organization.removeLabel(email)}
                body={t.organization.removeBody(email)}
                submit={t.organization.remove}
                send={remove}
              >
                <UserMinus aria-hidden /> {t.organization.removeFrom}
              </ConfirmButton>
            )}
          </Menu>
        </div>
      ) : (
        <span className="tag low">{roleName(role)}</span>
      )}
    </li>
  );
}
