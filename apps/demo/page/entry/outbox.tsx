import type { ReactElement } from 'react';
import { client, hasFeature } from '../client/client.ts';
import { Show, useLoad } from '../client/load.tsx';
import { Screen } from '../screen/screen.tsx';
import { Moment } from '../screen/wording.tsx';

interface Mail {
  readonly kind: 'verification' | 'reset' | 'invitation';
  readonly url: string;
  readonly sentAt: string;
}

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
            {messages.map(({ kind, url, sentAt }) => (
              <li key={url}>
                <a href={url}>{subjects[kind]}</a>
                <Moment at={sentAt} />
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

const subjects: Readonly<Record<Mail['kind'], string>> = {
  verification: 'Verify your e-mail address',
  reset: 'Reset your password',
  invitation: 'You have been invited',
};

/** Leads to the mails of an address; nothing in production, which sends them. */
export function OutboxLink(props: { readonly email: string }): ReactElement | null {
  if (!hasFeature('outbox')) return null;
  return <a href={`#/outbox/${encodeURIComponent(props.email)}`}>Check your outbox</a>;
}
