import { type ReactElement, useState } from 'react';
import { client } from '../client.ts';
import { hasFeature } from '../features.ts';
import { toErrorText } from '../form/error-text.ts';
import { OutboxLink } from '../outbox/outbox-screen.tsx';

/** Reminds somebody of the mail that proves their address. */
export function VerificationReminder(props: { readonly email: string }): ReactElement | null {
  const [outcome, setOutcome] = useState('');
  if (!hasFeature('emailVerification')) return null;
  const sendAgain = async (): Promise<void> => {
    const answer = await client.auth.resendVerification();
    setOutcome(answer.ok ? 'Another mail is on its way.' : toErrorText(answer.error));
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
