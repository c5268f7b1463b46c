import type { ReactElement } from 'react';
import { Screen } from '../screen/screen.tsx';

/** Where a sign-in by a provider ends that came to nothing. */
export function ProviderErrorScreen(): ReactElement {
  return (
    <Screen title="You are not signed in" narrow>
      <p>{providerErrorTexts[code] ?? 'Something went wrong on the way to the provider and back.'}</p>
      <p className="more">
        <a href="/">Back to the start</a>
      </p>
    </Screen>
  );
}

const code = new URLSearchParams(location.search).get('error') ?? '';

/** By the code in the address. An address can be written by anybody, so nothing else of it is shown. */
const providerErrorTexts: Readonly<Record<string, string>> = {
  invalid_state: 'That took too long, or was started in another browser. Please try again.',
  provider_denied: 'You did not allow the provider to sign you in.',
  provider_error: 'The provider could not say who you are. Please try again.',
  email_required: 'The provider gave no e-mail address, and an account needs one.',
  account_already_linked: 'That identity belongs to another account.',
  user_setup_failed: 'Your account could not be created. Please try again.',
};
