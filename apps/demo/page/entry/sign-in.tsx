import type { ReactElement } from 'react';
import { client, hasFeature } from '../client/client.ts';
import { useLoad } from '../client/load.tsx';
import { CodeField, EmailField, PasswordField } from '../form/field.tsx';
import { Form, type FormValues } from '../form/form.tsx';
import { navigate } from '../screen/address.ts';
import { Screen } from '../screen/screen.tsx';

/** Signs in by password or provider; a user with a second factor comes to {@link ChallengeScreen} next. */
export function SignInScreen(): ReactElement {
  const send = async ({ email = '', password = '' }: FormValues): ReturnType<typeof client.auth.signIn> => {
    const result = await client.auth.signIn({ email, password });
    if (!result.ok && result.error.code === 'MFA_REQUIRED') navigate(`/mfa${location.hash}`);
    return result;
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

/** Completes a sign-in by password or provider that needs a second factor. */
export function ChallengeScreen(): ReactElement {
  return (
    <Screen title="Enter your code" narrow>
      <Form
        label="Second factor"
        submit="Continue"
        send={({ code = '' }) => client.auth.mfa.challenge({ code })}
        onSent={({ redirectTo = `/${location.hash}` }) => navigate(redirectTo)}
      >
        <CodeField />
      </Form>
      <p className="more">
        <a href="/">Start again</a>
      </p>
    </Screen>
  );
}

/** A link for each provider that is configured; nothing if there is none. */
export function ProviderButtons(): ReactElement | null {
  const { value: providers = [] } = useLoad('providers', client.auth.providers);
  if (providers.length === 0) return null;
  return (
    <section aria-label="Other ways to sign in" className="providers">
      <p className="divider">or</p>
      {providers.map(({ id, name, url }) => (
        <a key={id} href={url} className="button">
          Continue with {name}
        </a>
      ))}
    </section>
  );
}

/** Where a failed sign-in by a provider ends. */
export function ProviderErrorScreen(): ReactElement {
  return (
    <Screen title="You are not signed in" narrow>
      <p>{providerErrorTexts.get(errorCode) ?? 'Something went wrong on the way to the provider and back.'}</p>
      <p className="more">
        <a href="/">Back to the start</a>
      </p>
    </Screen>
  );
}

/** By the code in the address. Anybody can write an address, so nothing else of it is shown. */
const providerErrorTexts: ReadonlyMap<string, string> = new Map([
  ['invalid_state', 'That took too long, or was started in another browser. Please try again.'],
  ['provider_denied', 'You did not allow the provider to sign you in.'],
  ['provider_error', 'The provider could not say who you are. Please try again.'],
  ['email_required', 'The provider gave no e-mail address, and an account needs one.'],
  ['account_already_linked', 'That identity belongs to another account.'],
  ['sign_in_refused', 'You may not sign in here.'],
  ['user_setup_failed', 'Your account could not be created. Please try again.'],
]);

const errorCode = new URLSearchParams(location.search).get('error') ?? '';
