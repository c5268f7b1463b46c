import { useQuery } from '@x/client/react';
import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { usePlace } from '../navigation/location.ts';
import { Loaded } from '../screen/loaded.tsx';
import { Screen } from '../screen/screen.tsx';
import { Moment, toSentence } from '../screen/wording.tsx';
import { t } from '../text/text.ts';

/** A mail that a demo in development keeps. */
export type Mail = { readonly sentAt: string; readonly to: string } & (
  | { readonly kind: 'verification' | 'reset' | 'invitation'; readonly url: string }
  | { readonly kind: 'notice'; readonly change: string }
);

/** The mails to one address, or to all, which a demo in development keeps instead of sending them. */
export const mails = cache.query(['outbox'], (email: string, options) =>
  client.request<{ readonly messages: readonly Mail[] }>('/dev/outbox', {
    ...options,
    query: { ...(email !== '' && { to: email }) },
  }),
);

/** The mails to an address, on a screen of their own. */
export default function OutboxScreen(): ReactElement {
  const email = usePlace().query.get('email') ?? '';
  return (
    <Screen title={t.entry.outbox} narrow>
      <p>{t.entry.outboxBody(email)}</p>
      <MailList email={email} />
      <p className="more">
        <a href="/">{t.entry.outboxBack}</a>
      </p>
    </Screen>
  );
}

/** The mails to an address; to all if it is empty. */
function MailList(props: { readonly email: string }): ReactElement {
  return (
    <Loaded of={useQuery(mails, props.email)}>
      {({ messages }) => (
        <ul className="rows">
          {messages.map((mail, index) => (
            <li key={messages.length - index}>
              <span>
                {mail.kind === 'notice' ? (
                  t.entry.notice(toSentence(mail.change))
                ) : (
                  <a href={mail.url}>{t.entry.subjects[mail.kind]}</a>
                )}{' '}
                {props.email === '' && <span className="hint">{mail.to}</span>}
              </span>
              <Moment at={mail.sentAt} />
            </li>
          ))}
          {messages.length === 0 && <li className="hint">{t.entry.outboxEmpty}</li>}
        </ul>
      )}
    </Loaded>
  );
}
