import type { ReactElement } from 'react';
import { client, hasFeature } from '../client/client.ts';
import { useUser } from '../client/queries.ts';
import { expectEnd } from '../entry/session-end.ts';
import { ConfirmButton } from '../form/confirm-button.tsx';
import { Screen } from '../screen/screen.tsx';
import { t } from '../text/text.ts';
import { DeviceList } from './devices.tsx';
import { Identities } from './identities.tsx';
import { ChangePassword } from './password.tsx';
import { Profile } from './profile.tsx';
import { SecondFactor } from './second-factor.tsx';
import { SecurityHistory } from './security-history.tsx';

/** The parts of the user's account, in one section each. */
export default function AccountScreen(): ReactElement {
  return (
    <Screen title={t.account.title}>
      <div className="halves">
        <div className="stack">
          <Profile />
          <ChangePassword />
          {hasFeature('mfa') && <SecondFactor />}
          <Identities />
        </div>
        <div className="stack">
          <DeviceList />
          <SecurityHistory />
          <DeleteAccount />
        </div>
      </div>
    </Screen>
  );
}

/** Deletes the account and what belongs to it alone. */
function DeleteAccount(): ReactElement {
  const { email } = useUser();
  const list = (
    <>
      <p>{t.account.deleteBody}</p>
      <ul className="bullets">
        {t.account.deleteList.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </>
  );
  return (
    <section aria-labelledby="delete" className="card grave">
      <h2 id="delete">{t.account.delete}</h2>
      {list}
      <div>
        <ConfirmButton
          title={t.account.delete}
          body={list}
          submit={t.account.deleteSubmit}
          typed={email}
          send={deleteAccount}
        >
          {t.account.delete}
        </ConfirmButton>
      </div>
    </section>
  );
}

async function deleteAccount() {
  const result = await client.auth.deleteAccount({});
  if (result.ok) expectEnd();
  return result;
}
