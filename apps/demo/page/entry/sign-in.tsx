import { useQuery } from '@x/client/react';
import { type ReactElement, Suspense, use } from 'react';
import { client, hasFeature } from '../client/client.ts';
import { providers } from '../client/queries.ts';
import { CodeField, EmailField, PasswordField } from '../form/field.tsx';
import { Form, type FormValues } from '../form/form.tsx';
import { lazily } from '../frame/lazily.tsx';
import { navigate, usePlace } from '../navigation/location.ts';
import { Screen } from '../screen/screen.tsx';
import { t } from '../text/text.ts';
import { HasEnded } from './session-end.ts';
import { getWanted, keepingWanted } from './wanted.ts';
import { Welcome } from './welcome.tsx';

const ProviderIcon = lazily(() => import('./provider-icon.tsx'));

/**
 * Signs in by password or provider, wherever the visitor is: the address stays that of the screen they wanted to see. A
 * user with a second factor comes to {@link ChallengeScreen} next.
 */
export function SignInScreen(): ReactElement {
  const hasEnded = use(HasEnded);
  return (
    <Welcome>
      <Screen title={t.entry.signIn} narrow above={null}>
        {hasEnded && <p className="notice">{t.entry.ended}</p>}
        <SignIn />
      </Screen>
    </Welcome>
  );
}

/** The ways to sign in. */
export function SignIn(): ReactElement {
  const send = async ({ email = '', password = '' }: FormValues): ReturnType<typeof client.auth.signIn> => {
    const result = await client.auth.signIn({ email, password });
    if (!result.ok && result.error.code === 'MFA_REQUIRED') navigate(keepingWanted('/mfa'));
    return result;
  };
  return (
    <>
      <Form label={t.entry.signIn} submit={t.entry.signIn} send={send}>
        <EmailField />
        <PasswordField />
      </Form>
      <p className="more">
        <a href={keepingWanted('/sign-up')}>{t.entry.createAccount}</a>
        {hasFeature('passwordReset') && <a href={keepingWanted('/forgot-password')}>{t.entry.forgot}</a>}
      </p>
      {/* The last, because they arrive later than the rest, which stays where it is. */}
      <ProviderButtons />
    </>
  );
}

/** Completes a sign-in by password or provider that needs a second factor. */
export function ChallengeScreen(): ReactElement {
  return (
    <Screen title={t.entry.enterCode} narrow>
      <Form
        label={t.entry.challengeForm}
        submit={t.entry.continue}
        send={({ code = '' }) => client.auth.mfa.challenge({ code })}
        onSent={({ redirectTo = getWanted() }) => navigate(redirectTo, 'replace')}
      >
        <CodeField />
      </Form>
      <p className="more">
        <a href={getWanted()}>{t.entry.startAgain}</a>
      </p>
    </Screen>
  );
}

/** A link for each provider that is configured; nothing if there is none. */
export function ProviderButtons(): ReactElement | null {
  const { data: offered = [] } = useQuery(providers, undefined);
  usePlace();
  if (offered.length === 0) return null;
  const query = new URLSearchParams({ redirectTo: getWanted() });
  return (
    <section aria-label={t.entry.otherWays} className="providers">
      <p className="divider">{t.common.or}</p>
      {offered.map(({ id, name, url }) => (
        <a key={id} href={`${url}?${query}`} className="button">
          <Suspense fallback={null}>
            <ProviderIcon id={id} />
          </Suspense>{' '}
          {t.entry.continueWith(name)}
        </a>
      ))}
    </section>
  );
}

/** The end of a failed flow of a provider. A signed-in user may have begun it to link an identity. */
export function ProviderErrorScreen(props: { readonly isSignedIn: boolean }): ReactElement {
  const code = usePlace().query.get('error') ?? '';
  // Any site can link to any address of the page, so no other text of it is shown.
  const texts = new Map(Object.entries(t.entry.providerErrors));
  return (
    <Screen title={props.isSignedIn ? t.entry.notLinked : t.entry.notSignedIn} narrow>
      <p>{texts.get(code) ?? t.entry.providerFailed}</p>
      <p className="more">
        {props.isSignedIn ? <a href="/account">{t.entry.backToAccount}</a> : <a href="/">{t.entry.backToStart}</a>}
      </p>
    </Screen>
  );
}
