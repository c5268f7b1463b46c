import type { ClientResult } from '@x/client';
import { useQuery } from '@x/client/react';
import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { ActionButton } from '../form/action-button.tsx';
import { announce } from '../screen/announce.tsx';
import { LoadedPages } from '../screen/loaded.tsx';
import { roleName } from '../text/names.ts';
import { t } from '../text/text.ts';

/** The invitations that wait for the user's proven address. */
const waiting = cache.pages(['invitations', 'members'], (_: void, after, options) =>
  client.services.invitations.get({ ...(after !== null && { after }) }, options),
);

/** The invitations that the user has not answered yet; nothing if there is none. */
export function WaitingInvitations(): ReactElement | null {
  const state = useQuery(waiting, undefined);
  if (!state.data || state.data.items.length === 0) return null;
  return (
    <section aria-labelledby="waiting" className="card">
      <h2 id="waiting">{t.join.waiting}</h2>
      <LoadedPages of={state} empty={null}>
        {(items) => (
          <ul className="rows">
            {items.map(({ id, organization, role }) => (
              <li key={id}>
                <span className="grow">{t.join.waitingBody(organization.name, roleName(role))}</span>
                <ActionButton
                  className="primary"
                  send={() => answer(() => client.services.invitations.accept({ invitationId: id }))}
                  onSent={() => announce(t.join.joined(organization.name))}
                >
                  {t.join.accept}
                </ActionButton>
                <ActionButton send={() => answer(() => client.services.invitations.decline({ invitationId: id }))}>
                  {t.join.decline}
                </ActionButton>
              </li>
            ))}
          </ul>
        )}
      </LoadedPages>
    </section>
  );
}

function answer(call: () => Promise<ClientResult<unknown>>) {
  return cache.write(call, { touches: ['invitations', 'members', 'organizations', 'projects'] });
}
