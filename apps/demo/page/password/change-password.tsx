import { type ReactElement, useState } from 'react';
import { client } from '../client.ts';
import { NewPasswordField, PasswordField } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { notifyChange } from '../load/changes.ts';

/** Replaces a password that is known; other devices are signed out. */
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
        send={({ currentPassword = '', newPassword = '' }) =>
          client.auth.changePassword({ currentPassword, newPassword })
        }
        onSent={onSent}
      >
        <PasswordField label="Current password" name="currentPassword" />
        <NewPasswordField label="New password" name="newPassword" />
      </Form>
      <p role="status">{isChanged && 'Your password is changed, and all other devices are signed out.'}</p>
    </section>
  );
}
