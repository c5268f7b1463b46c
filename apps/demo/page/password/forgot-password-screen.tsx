import { type ReactElement, useState } from 'react';
import { client } from '../client.ts';
import { EmailField } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { OutboxLink } from '../outbox/outbox-screen.tsx';
import { Screen } from '../screen/screen.tsx';

/** Has a link mailed that replaces a forgotten password. Nothing tells whether there is such an account. */
export function ForgotPasswordScreen(): ReactElement {
  const [email, setEmail] = useState('');
  return (
    <Screen title={email ? 'Look for a mail' : 'Forgot your password?'} narrow>
      {email ? (
        <p>
          If {email} has an account, a link to a new password is on its way. <OutboxLink email={email} />
        </p>
      ) : (
        <Form
          label="Forgotten password"
          submit="Send me a link"
          send={async (values) => {
            const answer = await client.auth.forgotPassword({ email: values['email'] ?? '' });
            if (answer.ok) setEmail(values['email'] ?? '');
            return answer;
          }}
        >
          <EmailField />
        </Form>
      )}
      <p className="more">
        <a href="#/">Back to the sign-in</a>
      </p>
    </Screen>
  );
}
