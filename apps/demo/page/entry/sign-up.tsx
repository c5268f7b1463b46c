import type { ReactElement } from 'react';
import { client } from '../client/client.ts';
import { EmailField, NewPasswordField } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { Screen } from '../screen/screen.tsx';
import { ProviderButtons } from './sign-in.tsx';

/** Creates an account, which is signed in at once. */
export function SignUpScreen(): ReactElement {
  return (
    <Screen title="Create an account" narrow>
      <Form
        label="Create an account"
        submit="Sign up"
        send={({ email = '', password = '' }) => client.auth.signUp({ email, password })}
        onSent={() => (location.hash = '#/')}
      >
        <EmailField />
        <NewPasswordField />
      </Form>
      <ProviderButtons />
      <p className="more">
        <a href="#/">Sign in instead</a>
      </p>
    </Screen>
  );
}
