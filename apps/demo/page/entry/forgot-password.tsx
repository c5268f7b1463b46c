import { type ReactElement, useState } from 'react';
import { client } from '../client/client.ts';
import { EmailField } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { Screen } from '../screen/screen.tsx';
import { t } from '../text/text.ts';
import { OutboxLink } from './outbox-link.tsx';
import { getWanted } from './wanted.ts';

/** Mails a link that replaces a forgotten password. Nothing reveals whether there is an account with the address. */
export default function ForgotPasswordScreen(): ReactElement {
  const [email, setEmail] = useState('');
  return (
    <Screen title={email ? t.entry.lookForMail : t.entry.forgot} narrow>
      {email ? (
        <p>
          {t.entry.linkSent(email)} <OutboxLink email={email} />
        </p>
      ) : (
        <Form
          label={t.entry.forgotForm}
          submit={t.entry.sendLink}
          send={async (values) => {
            const result = await client.auth.forgotPassword({ email: values['email'] ?? '' });
            if (result.ok) setEmail(values['email'] ?? '');
            return result;
          }}
        >
          <EmailField />
        </Form>
      )}
      <p className="more">
        <a href={getWanted()}>{t.entry.backToSignIn}</a>
      </p>
    </Screen>
  );
}
