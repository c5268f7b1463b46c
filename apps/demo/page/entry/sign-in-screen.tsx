import type { ReactElement } from 'react';
import { navigate } from '../address/address.ts';
import { client } from '../client.ts';
import { hasFeature } from '../features.ts';
import { EmailField, PasswordField } from '../form/field.tsx';
import { Form, type FormValues } from '../form/form.tsx';
import { Screen } from '../screen/screen.tsx';
import { ProviderButtons } from './provider-buttons.tsx';

/** Signs in by password or provider; whoever has a second factor is asked for it next. */
export function SignInScreen(): ReactElement {
  const send = async ({ email = '', password = '' }: FormValues): ReturnType<typeof client.auth.signIn> => {
    const answer = await client.auth.signIn({ email, password });
    if (!answer.ok && answer.error.code === 'MFA_REQUIRED') navigate(`/mfa${location.hash}`);
    return answer;
  };
  return (
    <Screen title="Sign in" narrow>
      <Form label="Sign in" submit="Sign in" send={send}>
        <EmailField />
        <PasswordField />
      </Form>
      <ProviderButtons />
      <p className="more">
        <a href="#/sign-up">Create an account</a>
        {hasFeature('passwordReset') && <a href="#/forgot-password">Forgot your password?</a>}
      </p>
    </Screen>
  );
}
