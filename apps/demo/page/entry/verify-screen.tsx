import { useSession } from '@x/client/react';
import { type ReactElement, useState } from 'react';
import { cache, client } from '../client/client.ts';
import { PasswordField } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { getMailedToken } from '../navigation/mailed-token.ts';
import { Screen } from '../screen/screen.tsx';
import { t } from '../text/text.ts';

/**
 * Where the link of a verification mail leads. It needs a click, because mail scanners open links, too, and must not
 * prove an address.
 */
export default function VerifyScreen(): ReactElement {
  const [isVerified, setVerified] = useState(false);
  const { user } = useSession(client);
  const title = isVerified ? t.entry.verified : t.entry.verifyTitle;
  // The refreshed session shows the verified user in all tabs. Without a session there is nothing to refresh.
  const onSent = (): void => {
    setVerified(true);
    cache.invalidate(['members', 'organizations']);
    if (client.session.getSnapshot().user) void client.auth.refresh();
  };
  return (
    <Screen title={title} narrow>
      {!isVerified && (
        <Form
          label={title}
          submit={t.entry.verify}
          send={({ password = '' }) =>
            client.auth.verifyEmail({ token: getMailedToken(), ...(password !== '' && { password }) })
          }
          onSent={onSent}
        >
          <p>{t.entry.verifyBody}</p>
          {!user && <PasswordField required={false} hint={t.entry.verifyPasswordHint} />}
        </Form>
      )}
      <p className="more">
        <a href="/">{t.entry.goToTracker}</a>
      </p>
    </Screen>
  );
}
