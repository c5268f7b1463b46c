import { type ReactElement, useState } from 'react';
import { notifyChange } from '../client/changes.ts';
import { client } from '../client/client.ts';
import { OutboxLink } from '../entry/outbox.tsx';
import { EmailField, NewPasswordField, PasswordField } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { mailedToken } from '../screen/address.ts';
import { Screen } from '../screen/screen.tsx';

/** Mails a link that replaces a forgotten password. Nothing reveals whether there is an account with the address. */
export function ForgotPasswordScreen(): ReactElement {
  const [email, setEmail] = useState('');
  return (
    <Screen title={email ? 'Look for a mail' : 'Forgot your password?'} narrow>
      {email ? (
        <p>
          If {email} has an account, a link to a new password is on its way. <OutboxLink email={email} />
        </p>
      ) : (
        <Form
          label="Forgotten password"
          submit="Send me a link"
          send={async (values) => {
            const result = await client.auth.forgotPassword({ email: values['email'] ?? '' });
            if (result.ok) setEmail(values['email'] ?? '');
            return result;
          }}
        >
          <EmailField />
        </Form>
      )}
      <p className="more">
        <a href="#/">Back to the sign-in</a>
      </p>
    </Screen>
  );
}

/** Where that link leads. */
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

/** Replaces the password, or sets the first one, which signs out all other devices. */
export function ChangePassword(): ReactElement {
  const [isChanged, setChanged] = useState(false);
  const onSent = (): void => {
    setChanged(true);
    notifyChange('devices');
  };
  return (
    <section aria-labelledby="password" className="card">
      <h2 id="password">Password</h2>
      <Form
        label="Change the password"
        submit="Change the password"
        clears
        send={({ currentPassword, newPassword = '' }) =>
          client.auth.changePassword({ newPassword, ...(currentPassword && { currentPassword }) })
        }
        onSent={onSent}
      >
        <PasswordField
          label="Current password"
          name="currentPassword"
          hint="Leave it empty if you have none."
          required={false}
        />
        <NewPasswordField label="New password" name="newPassword" />
      </Form>
      <p role="status">{isChanged && 'Your password is changed, and all other devices are signed out.'}</p>
    </section>
  );
}
