import type { Merge } from '@x/client/cache';
import { useQuery } from '@x/client/react';
import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { withoutRow } from '../client/merge-rows.ts';
import { useOrganizationId } from '../client/queries.ts';
import { ActionButton } from '../form/action-button.tsx';
import { chosenOf, Field, Select } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { useVerdict } from '../form/verdict.tsx';
import { announce } from '../screen/announce.tsx';
import { LoadedPages } from '../screen/loaded.tsx';
import { Menu } from '../screen/menu.tsx';
import { formatDay, shorten } from '../screen/wording.tsx';
import { roleName, toOptions } from '../text/names.ts';
import { t } from '../text/text.ts';
import { offeredRoles } from './queries.ts';

const invitationPages = cache.pages(['invitations'], (organizationId: string, after, options) =>
  client.entities.organizations.invitations.get(organizationId, { ...(after !== null && { after }) }, options),
);

/** Invites an address. If no invitation waits then, its holder may be a member already. */
async function invite(id: string, invited: { readonly email: string; readonly role: (typeof offeredRoles)[number] }) {
  const result = await cache.write(() => client.entities.organizations.invite(id, invited, { keepsAccess: true }), {
    touches: ['invitations'],
  });
  if (result.ok && !(await isWaiting(id, invited.email))) cache.invalidate(['members']);
  return result;
}

async function isWaiting(organizationId: string, email: string): Promise<boolean> {
  const { reload } = invitationPages.at(organizationId).getSnapshot();
  await reload();
  const { data } = invitationPages.at(organizationId).getSnapshot();
  return data?.items.some((invitation) => invitation.email === email.toLowerCase()) ?? false;
}

/** A line that invites an address by mail. */
export function InviteForm(): ReactElement {
  const organizationId = useOrganizationId();
  return (
    <Form
      label={t.organization.invite}
      submit={t.organization.inviteSubmit}
      className="form line"
      clears
      verdict={useVerdict('organization:invite')}
      send={({ email = '', role }) => invite(organizationId, { email, role: chosenOf(offeredRoles, role) })}
      onSent={() => announce(t.organization.invited)}
    >
      <Field label={t.entry.email} placeholder={t.entry.email} name="email" type="email" />
      <Select label={t.organization.role} name="role" options={toOptions(offeredRoles, roleName)} />
    </Form>
  );
}

/** The invitations that were not accepted yet. */
export function Invitations(): ReactElement {
  return (
    <section aria-labelledby="invitations" className="card">
      <div className="card-head">
        <h2 id="invitations">{t.organization.invitations}</h2>
      </div>
      <LoadedPages of={useQuery(invitationPages, useOrganizationId())} empty={t.organization.noInvitations} lines={1}>
        {(items) => (
          <ul className="rows">
            {items.map(({ id, email, role, state, expiresAt }) => (
              <li key={id}>
                <span className="grow">
                  <strong title={email}>{shorten(email)}</strong>{' '}
                  <span className="hint">
                    {roleName(role)},{' '}
                    {state === 'expired' ? t.organization.expired : t.organization.expires(formatDay(expiresAt))}
                  </span>
                </span>
                <InvitationMenu id={id} email={email} />
              </li>
            ))}
          </ul>
        )}
      </LoadedPages>
    </section>
  );
}

function InvitationMenu(props: { readonly id: string; readonly email: string }): ReactElement {
  const { id: invitationId, email } = props;
  const organizationId = useOrganizationId();
  const { resendInvitation, revokeInvitation } = client.entities.organizations;
  const write = (call: typeof resendInvitation, merge: () => readonly Merge[] = () => []) =>
    cache.write(() => call(organizationId, { invitationId }, { keepsAccess: true }), {
      touches: ['invitations'],
      merge,
    });
  return (
    <Menu label={t.common.moreFor(email)}>
      {(close) => (
        <>
          <ActionButton
            send={() => write(resendInvitation)}
            onSent={() => {
              close();
              announce(t.organization.resent);
            }}
          >
            {t.organization.resend}
          </ActionButton>
          <ActionButton
            className="danger"
            send={() =>
              write(revokeInvitation, () => [invitationPages.merge((pages) => withoutRow(pages, invitationId))])
            }
            onSent={() => {
              close();
              announce(t.organization.revoked);
            }}
          >
            {t.organization.revoke}
          </ActionButton>
        </>
      )}
    </Menu>
  );
}
