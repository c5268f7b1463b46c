import { useAccess, useQuery } from '@x/client/react';
import type { ReactElement } from 'react';
import { cache, client, hasFeature } from '../client/client.ts';
import { useOrganizationId, usePeople, useUser } from '../client/queries.ts';
import { ConfirmButton } from '../form/confirm-button.tsx';
import { DialogButton } from '../form/dialog-button.tsx';
import { Select } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { navigate } from '../navigation/location.ts';
import { announce } from '../screen/announce.tsx';
import { t } from '../text/text.ts';
import { leaving } from './lost-organization.ts';
import { organizationById, useOrganization } from './queries.ts';

/** Leaving the organization, handing it over, and deleting it. */
export default function DangerZone(): ReactElement {
  const { can } = useAccess(client);
  return (
    <>
      <Leave />
      {can('organization:manage') && <Transfer />}
      {can('organization:manage') && hasFeature('mfa') && <DeleteOrganization />}
    </>
  );
}

const touches = ['organizations', 'members', 'projects', 'tasks', 'plan', 'invitations'] as const;

function Leave(): ReactElement {
  const { leave } = useOrganization();
  return (
    <section aria-labelledby="leave" className="card grave">
      <h2 id="leave">{t.organization.leave}</h2>
      <p>{t.organization.leaveBody}</p>
      <div>
        <ConfirmButton
          title={t.organization.leave}
          body={t.organization.leaveBody}
          submit={t.organization.leave}
          send={() => leaving(leave)}
          onSent={() => goOn(t.organization.left)}
        >
          {t.organization.leave}
        </ConfirmButton>
      </div>
    </section>
  );
}

/** Continues in whichever organization the session is in now. */
function goOn(text: string): void {
  navigate('/');
  announce(text);
  void client.auth.refresh();
}

function Transfer(): ReactElement | null {
  const id = useOrganizationId();
  const user = useUser();
  const others = usePeople().filter(({ userId }) => userId !== user.id);
  if (others.length === 0) return null;
  return (
    <section aria-labelledby="transfer" className="card grave">
      <h2 id="transfer">{t.organization.transfer}</h2>
      <p>{t.organization.transferBody}</p>
      <div>
        <DialogButton
          title={t.organization.transfer}
          className="danger"
          content={(close) => (
            <Form
              label={t.organization.transfer}
              submit={t.organization.transfer}
              tone="danger"
              send={({ userId = '' }) =>
                cache.write(() => client.entities.organizations.transfer(id, { userId }), { touches })
              }
              onSent={() => {
                close();
                announce(t.common.changed);
              }}
            >
              <p>{t.organization.transferBody}</p>
              <Select
                label={t.organization.transferTo}
                name="userId"
                options={others.map(({ userId, email }) => ({ value: userId, text: email }))}
              />
            </Form>
          )}
        >
          {t.organization.transfer}
        </DialogButton>
      </div>
    </section>
  );
}

function DeleteOrganization(): ReactElement {
  const id = useOrganizationId();
  const { data } = useQuery(organizationById, id);
  return (
    <section aria-labelledby="delete-organization" className="card grave">
      <h2 id="delete-organization">{t.organization.deleteTitle}</h2>
      <p>{t.organization.deleteBody}</p>
      <div>
        {data && (
          <ConfirmButton
            title={t.organization.deleteTitle}
            body={t.organization.deleteBody}
            submit={t.organization.deleteSubmit}
            typed={data.name}
            send={() => leaving(() => cache.write(() => client.entities.organizations.delete(id), { touches }))}
            onSent={() => goOn(t.organization.deleted)}
          >
            {t.organization.deleteTitle}
          </ConfirmButton>
        )}
      </div>
    </section>
  );
}
