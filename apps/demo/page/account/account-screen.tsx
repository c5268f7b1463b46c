import type { ReactElement } from 'react';
import { client, hasFeature } from '../client/client.ts';
import { ActionButton } from '../form/action-button.tsx';
import { Screen } from '../screen/screen.tsx';
import { DeviceList } from './devices.tsx';
import { Identities } from './identities.tsx';
import { ChangePassword } from './password.tsx';
import { SecondFactor } from './second-factor.tsx';

/** What belongs to the user's account, in one section each. */
export function AccountScreen(): ReactElement {
  return (
    <Screen title="Account">
      <div className="cards">
        <DeviceList />
        {hasFeature('mfa') && <SecondFactor />}
        <Identities />
        <ChangePassword />
        <DeleteAccount />
      </div>
    </Screen>
  );
}

/** Deletes the account and what belongs to it alone. */
function DeleteAccount(): ReactElement {
  return (
    <section aria-labelledby="delete" className="card">
      <h2 id="delete">Delete the account</h2>
      <p>Everything that belongs to you alone is deleted with it, and cannot be restored.</p>
      <details>
        <summary>I am sure</summary>
        <ActionButton className="danger" send={() => client.auth.deleteAccount({})}>
          Delete my account
        </ActionButton>
      </details>
    </section>
  );
}
