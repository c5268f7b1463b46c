import { useQuery, useSession } from '@x/client/react';
import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { ActionButton } from '../form/action-button.tsx';
import { navigate } from '../navigation/location.ts';
import { getMailedToken } from '../navigation/mailed-token.ts';
import { createStoredText } from '../navigation/stored-text.ts';
import { announce } from '../screen/announce.tsx';
import { Loaded } from '../screen/loaded.tsx';
import { Screen } from '../screen/screen.tsx';
import { roleName } from '../text/names.ts';
import { t } from '../text/text.ts';
import { SignIn } from './sign-in.tsx';

/** The offer behind the token of a mail or a link. It is read once: a used token leads nowhere any more. */
const previews = cache.query([], async (token: string, options) => {
  const found = known.get(token);
  if (found) return found;
  const preview = await client.services.invitations.preview({ token }, options);
  if (preview.ok) known.set(token, preview);
  return preview;
});

const known = new Map<string, Awaited<ReturnType<typeof client.services.invitations.preview>>>();

/** Where the link of an invitation leads: who invites whom, where, as what. It is kept through signing in and up. */
export default function JoinScreen(): ReactElement {
  const token = keepToken();
  const preview = useQuery(previews, token);
  const { user } = useSession(client);
  const isOver = preview.error !== null && preview.error.status !== undefined && preview.error.status < 500;
  if (isOver) {
    return (
      <Screen title={t.join.over} narrow>
        <p>{t.join.overBody}</p>
        <p className="more">
          <a href="/">{t.entry.goToTracker}</a>
        </p>
      </Screen>
    );
  }
  return (
    <Screen title={t.join.title} narrow>
      <Loaded of={preview} lines={2}>
        {({ organization, role, invitedBy }) => (
          <>
            <p>{t.join.body(invitedBy, organization.name, roleName(role))}</p>
            {user ? (
              <>
                <p className="hint">{t.join.as(user.email)}</p>
                <ActionButton
                  className="primary"
                  send={() => join(token)}
                  onSent={() => {
                    navigate('/', 'replace');
                    announce(t.join.joined(organization.name));
                  }}
                >
                  {t.join.join(organization.name)}
                </ActionButton>
              </>
            ) : (
              <>
                <p>{t.join.first}</p>
                <SignIn />
              </>
            )}
          </>
        )}
      </Loaded>
    </Screen>
  );
}

/** Joins the organization, and continues in it. */
async function join(token: string) {
  const joined = await cache.write(() => client.services.invitations.join({ token }), {
    touches: ['organizations', 'members', 'invitations', 'links'],
  });
  if (!joined.ok) return joined;
  invitation.set('');
  return client.auth.tenants.switch({ tenantId: joined.data.organizationId });
}

const invitation = createStoredText('sessionStorage', 'tracker:invitation');

/** The token of the address, which a provider that signs the visitor in on the way would lose. */
function keepToken(): string {
  if (getMailedToken() !== '') invitation.set(getMailedToken());
  return invitation.get();
}
