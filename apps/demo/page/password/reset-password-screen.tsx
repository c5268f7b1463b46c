import { type ReactElement, useState } from 'react';
import { mailedToken } from '../address/address.ts';
import { client } from '../client.ts';
import { NewPasswordField } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { Screen } from '../screen/screen.tsx';

/** Where the link of a forgotten password leads. */
export function ResetPasswordScreen(): ReactElement {
  const [isReset, setReset] = useState(false);
  return (
    <Screen title={isReset ? 'Your password is replaced' : 'Choose a new password'} narrow>
      {isReset ? (
        <p>All devices are signed out. Sign in with the new password.</p>
      ) : (
        <Form
          label="Replace the password"
          submit="Replace the password"
          send={({ password = '' }) => client.auth.resetPassword({ token: mailedToken ?? '', password })}
          onSent={() => setReset(true)}
        >
          <NewPasswordField label="New password" />
        </Form>
      )}
      <p className="more">
        <a href="/">Go to Tracker</a>
      </p>
    </Screen>
  );
}
