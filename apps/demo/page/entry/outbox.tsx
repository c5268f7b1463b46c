import type { ReactElement } from 'react';
import { client, hasFeature } from '../client/client.ts';
import { Show, useLoad } from '../client/load.tsx';
import { Screen } from '../screen/screen.tsx';
import { Moment } from '../screen/wording.tsx';

type Mail = { readonly sentAt: string } & (
  { readonly kind: keyof typeof subjects; readonly url: string } | { readonly kind: 'notice'; readonly change: string }
);

/** The mails to an address, which a demo in development keeps instead of sending them. */
export function OutboxScreen(props: { readonly email: string }): ReactElement {
  const { email } = props;
  const mails = useLoad(`outbox:${email}`, (options) =>
    client.request<{ readonly messages: readonly Mail[] }>('/dev/outbox', { ...options, query: { to: email } }),
  );
  return (
    <Screen title="Outbox" narrow>
      <p>Mails to {email}, which development keeps here.</p>
      <Show of={mails}>
        {({ messages }) => (
          <ul className="rows">
            {messages.map((mail, index) => (
              <li key={messages.length - index}>
                {mail.kind === 'notice' ? toSentence(mail.change) : <a href={mail.url}>{subjects[mail.kind]}</a>}
                <Moment at={mail.sentAt} />
              </li>
            ))}
            {messages.length === 0 && <li>There is none.</li>}
          </ul>
        )}
      </Show>
      <p className="more">
        <a href="#/">Back to Tracker</a>
      </p>
    </Screen>
  );
}

const subjects = {
  verification: 'Verify your e-mail address',
  reset: 'Reset your password',
  invitation: 'You have been invited',
} as const;

/** Writes the name of a change, such as `email.changed`, in words. */
function toSentence(change: string): string {
  return `Notice: ${change.replaceAll(/[._]/g, ' ')}`;
}

/** Leads to the mails of an address; nothing in production, which sends them. */
export function OutboxLink(props: { readonly email: string }): ReactElement | null {
  if (!hasFeature('outbox')) return null;
  return <a href={`#/outbox/${encodeURIComponent(props.email)}`}>Check your outbox</a>;
}
