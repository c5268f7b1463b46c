import { type ReactElement, useState } from 'react';
import { mailedToken } from '../address/address.ts';
import { client } from '../client.ts';
import { Form } from '../form/form.tsx';
import { Screen } from '../screen/screen.tsx';

/**
 * Where the link of a verification leads. It asks for a click: programs that look through mails open links, too, and
 * an address must not be proven by them.
 */
export function VerifyScreen(): ReactElement {
  const [isVerified, setVerified] = useState(false);
  const title = isVerified ? 'Your address is verified' : 'Verify your address';
  // The state shows the user as stored from now on, in all tabs; whoever is not signed in here has nothing to refresh.
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
