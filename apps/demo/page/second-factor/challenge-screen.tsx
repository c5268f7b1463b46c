import type { ReactElement } from 'react';
import { navigate } from '../address/address.ts';
import { client } from '../client.ts';
import { CodeField } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { Screen } from '../screen/screen.tsx';

/** Completes a sign-in by password or provider that needs a second factor. */
export function ChallengeScreen(): ReactElement {
  return (
    <Screen title="Enter your code" narrow>
      <Form
        label="Second factor"
        submit="Continue"
        send={({ code = '' }) => client.auth.mfa.challenge({ code })}
        onSent={() => navigate(`/${location.hash}`)}
      >
        <CodeField />
      </Form>
      <p className="more">
        <a href="/">Start again</a>
      </p>
    </Screen>
  );
}
