import { type ReactElement, useState } from 'react';
import { client, hasFeature } from '../client/client.ts';
import { Form } from '../form/form.tsx';
import { mailedToken } from '../screen/address.ts';
import { Screen } from '../screen/screen.tsx';
import { toErrorText } from '../screen/wording.tsx';
import { OutboxLink } from './outbox.tsx';

/**
 * Where the link of a verification mail leads. It needs a click, because mail scanners open links, too, and must not
 * prove an address.
 */
export function VerifyScreen(): ReactElement {
  const [isVerified, setVerified] = useState(false);
  const title = isVerified ? 'Your address is verified' : 'Verify your address';
  // The refreshed session shows the verified user in all tabs. Without a session there is nothing to refresh.
  const onSent = (): void => {
    setVerified(true);
    if (client.session.getSnapshot().user) void client.auth.refresh();
  };
  return (
    <Screen title={title} narrow>
      {!isVerified && (
        <Form
          label={title}
          submit="Verify the address"
          send={() => client.auth.verifyEmail({ token: mailedToken ?? '' })}
          onSent={onSent}
        >
          <p>One click confirms that the address is yours.</p>
        </Form>
      )}
      <p className="more">
        <a href="/">Go to Tracker</a>
      </p>
    </Screen>
  );
}

/** Reminds a user to verify their address, and sends the mail again. */
export function VerificationReminder(props: { readonly email: string }): ReactElement | null {
  const [outcome, setOutcome] = useState('');
  if (!hasFeature('emailVerification')) return null;
  const sendAgain = async (): Promise<void> => {
    const result = await client.auth.resendVerification();
    setOutcome(result.ok ? 'Another mail is on its way.' : toErrorText(result.error));
  };
  return (
    <aside aria-label="Verification" className="reminder">
      <p>
        Please verify <strong>{props.email}</strong>: we have sent you a link. <OutboxLink email={props.email} />
      </p>
      <button onClick={() => void sendAgain()}>Send it again</button>
      <p role="status">{outcome}</p>
    </aside>
  );
}
