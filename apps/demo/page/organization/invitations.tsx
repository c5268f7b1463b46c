import { useQuery } from '@x/client/cache';
import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { useOrganizationId } from '../client/queries.ts';
import { ActionButton } from '../form/action-button.tsx';
import { chosenOf, EmailField, Select } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { useVerdict } from '../form/verdict.tsx';
import { announce } from '../screen/announce.tsx';
import { LoadedPages } from '../screen/loaded.tsx';
import { formatDay } from '../screen/wording.tsx';
import { roleName, toOptions } from '../text/names.ts';
import { t } from '../text/text.ts';
import { offeredRoles } from './queries.ts';

const invitationPages = cache.pages(['invitations', 'members'], (organizationId: string, after, options) =>
  client.entities.organizations.invitations.get(organizationId, { ...(after !== null && { after }) }, options),
);

/** A form that invites an address by mail. */
export function InviteForm(): ReactElement {
  const organizationId = useOrganizationId();
  return (
    <section aria-labelledby="invite" className="card">
      <h2 id="invite">{t.organization.invite}</h2>
      <Form
        label={t.organization.invite}
        submit={t.organization.inviteSubmit}
        className="form row"
        clears
        verdict={useVerdict('organization:invite')}
        send={({ email = '', role }) =>
          cache.write(
            () => client.entities.organizations.invite(organizationId, { email, role: chosenOf(offeredRoles, role) }),
            { touches: ['members', 'invitations'] },
          )
        }
        onSent={() => announce(t.organization.invited)}
      >
        <EmailField autoComplete="off" />
        <Select label={t.organization.role} name="role" options={toOptions(offeredRoles, roleName)} />
      </Form>
    </section>
  );
}

/** The invitations that were not accepted yet. */
export function Invitations(): ReactElement {
  const organizationId = useOrganizationId();
  const { resendInvitation, revokeInvitation } = client.entities.organizations;
  return (
    <section aria-labelledby="invitations" className="card">
      <h2 id="invitations">{t.organization.invitations}</h2>
      <LoadedPages of={useQuery(invitationPages, organizationId)} empty={t.organization.noInvitations}>
        {(items) => (
          <ul className="rows">
            {items.map(({ id: invitationId, email, role, state, expiresAt }) => (
              <li key={invitationId}>
                <span className="grow">
                  <strong>{email}</strong>{' '}
                  <span className="hint">
                    {roleName(role)},{' '}
                    {state === 'expired' ? t.organization.expired : t.organization.expires(formatDay(expiresAt))}
                  </span>
                </span>
                <ActionButton
                  className="quiet"
                  label={t.organization.resendLabel(email)}
                  send={() =>
                    cache.write(() => resendInvitation(organizationId, { invitationId }), {
                      touches: ['invitations'],
                    })
                  }
                  onSent={() => announce(t.organization.resent)}
                >
                  {t.organization.resend}
                </ActionButton>
                <ActionButton
                  className="quiet danger"
                  label={t.organization.revokeLabel(email)}
                  send={() =>
                    cache.write(() => revokeInvitation(organizationId, { invitationId }), {
                      touches: ['invitations'],
                    })
                  }
                  onSent={() => announce(t.organization.revoked)}
                >
                  {t.organization.revoke}
                </ActionButton>
              </li>
            ))}
          </ul>
        )}
      </LoadedPages>
    </section>
  );
}
