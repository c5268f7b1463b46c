import type { ReactElement } from 'react';
import { client } from '../client/client.ts';
import { EmailField, NewPasswordField } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { Screen } from '../screen/screen.tsx';
import { t } from '../text/text.ts';
import { ProviderButtons } from './sign-in.tsx';
import { getWanted } from './wanted.ts';
import { Welcome } from './welcome.tsx';

/** Creates an account, which is signed in at once. */
export function SignUpScreen(): ReactElement {
  return (
    <Welcome>
      <Screen title={t.entry.createAccount} narrow above={null}>
        <Form
          label={t.entry.createAccount}
          submit={t.entry.signUp}
          send={({ email = '', password = '' }) => client.auth.signUp({ email, password })}
        >
          <EmailField />
          <NewPasswordField />
        </Form>
        <p className="more">
          <a href={getWanted()}>{t.entry.signInInstead}</a>
        </p>
        <ProviderButtons />
      </Screen>
    </Welcome>
  );
}
