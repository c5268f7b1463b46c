import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { NewPasswordField, PasswordField } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { announce } from '../screen/announce.tsx';
import { t } from '../text/text.ts';

/** Replaces the password, or sets the first one, which signs out all other devices. */
export function ChangePassword(): ReactElement {
  return (
    <section aria-labelledby="password" className="card">
      <h2 id="password">{t.account.password}</h2>
      <Form
        label={t.account.passwordForm}
        submit={t.account.passwordSubmit}
        clears
        send={({ currentPassword, newPassword = '' }) =>
          cache.write(() => client.auth.changePassword({ newPassword, ...(currentPassword && { currentPassword }) }), {
            touches: ['sessions'],
          })
        }
        onSent={() => announce(t.account.passwordChanged)}
      >
        <PasswordField
          label={t.account.currentPassword}
          name="currentPassword"
          hint={t.account.currentPasswordHint}
          required={false}
        />
        <NewPasswordField label={t.entry.newPassword} name="newPassword" />
      </Form>
    </section>
  );
}
