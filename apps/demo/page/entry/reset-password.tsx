import { type ReactElement, useState } from 'react';
import { client } from '../client/client.ts';
import { NewPasswordField } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { getMailedToken } from '../navigation/mailed-token.ts';
import { Screen } from '../screen/screen.tsx';
import { t } from '../text/text.ts';

/** Where the link of a mail leads that replaces a forgotten password. */
export default function ResetPasswordScreen(): ReactElement {
  const [isReset, setReset] = useState(false);
  return (
    <Screen title={isReset ? t.entry.replaced : t.entry.chooseNew} narrow>
      {isReset ? (
        <p>{t.entry.replacedBody}</p>
      ) : (
        <Form
          label={t.entry.replace}
          submit={t.entry.replace}
          send={({ password = '' }) => client.auth.resetPassword({ token: getMailedToken(), password })}
          onSent={() => setReset(true)}
        >
          <NewPasswordField label={t.entry.newPassword} />
        </Form>
      )}
      <p className="more">
        <a href="/">{t.entry.goToTracker}</a>
      </p>
    </Screen>
  );
}
