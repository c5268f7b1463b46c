import type { ReactElement } from 'react';
import { client, hasFeature } from '../client/client.ts';
import { ActionButton } from '../form/action-button.tsx';
import { announce } from '../screen/announce.tsx';
import { t } from '../text/text.ts';
import { OutboxLink } from './outbox-link.tsx';

/** Reminds a user to verify their address, and sends the mail again. */
export function VerificationReminder(props: { readonly email: string }): ReactElement | null {
  if (!hasFeature('emailVerification')) return null;
  const [before, email, after] = t.entry.pleaseVerify(props.email);
  return (
    <aside aria-label={t.entry.verification} className="reminder">
      <p className="clip" title={email}>
        {before}
        <strong>{email}</strong>
        {after}
      </p>
      <OutboxLink email={props.email} />
      <ActionButton
        className="as-link"
        send={() => client.auth.resendVerification()}
        onSent={() => announce(t.entry.sentAgain)}
      >
        {t.entry.sendAgain}
      </ActionButton>
    </aside>
  );
}
