import type { ReactElement } from 'react';
import { client, hasFeature } from '../client/client.ts';
import { DeviceList } from './devices.tsx';
import { PasswordField } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { ChangePassword } from './password.tsx';
import { Screen } from '../screen/screen.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Identities } from './identities.tsx';

/** All that belongs to somebody's account. */
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

/** Deletes the account and all that is its own. */
function DeleteAccount(): ReactElement {
  return (
    <section aria-labelledby="delete" className="card">
      <h2 id="delete">Delete the account</h2>
      <p>Everything that belongs to you alone is deleted with it, and cannot be restored.</p>
      <details>
        <summary>I am sure</summary>
        <Form
          label="Delete the account"
          submit="Delete my account"
          tone="danger"
          send={({ password }) => client.auth.deleteAccount(password ? { password } : {})}
        >
          <PasswordField hint="Leave it empty if you have none." required={false} />
        </Form>
      </details>
    </section>
  );
}
