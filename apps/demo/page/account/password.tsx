import { useQuery } from '@x/client/react';
import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { providers } from '../client/queries.ts';
import { NewPasswordField, OwnUsername, PasswordField } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { announce } from '../screen/announce.tsx';
import { t } from '../text/text.ts';
import { identities } from './confirmation.tsx';

/** Replaces the password, or sets the first one, which signs out all other devices. */
export function ChangePassword(): ReactElement {
  const { data: offered = [] } = useQuery(providers, undefined);
  return (
    <section aria-labelledby="password" className="card">
      <h2 id="password">{t.account.password}</h2>
      {offered.length === 0 ? <PasswordForm mayBeFirst={false} /> : <BesideProviders />}
    </section>
  );
}

/** Nobody is without any way to sign in: who has linked no provider has a password. */
function BesideProviders(): ReactElement {
  const { data: linked = [] } = useQuery(identities, undefined);
  return <PasswordForm mayBeFirst={linked.length > 0} />;
}

function PasswordForm(props: { readonly mayBeFirst: boolean }): ReactElement {
  const { mayBeFirst } = props;
  return (
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
      <OwnUsername />
      <PasswordField
        label={t.account.currentPassword}
        name="currentPassword"
        required={!mayBeFirst}
        {...(mayBeFirst && { hint: t.account.currentPasswordHint })}
      />
      <NewPasswordField label={t.entry.newPassword} name="newPassword" />
    </Form>
  );
}
