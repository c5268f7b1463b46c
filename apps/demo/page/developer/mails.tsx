import { useQuery } from '@x/client/react';
import type { ReactElement } from 'react';
import { type Mail, mails } from '../entry/outbox.tsx';
import { Loaded } from '../screen/loaded.tsx';
import { Moment, toSentence } from '../screen/wording.tsx';
import { t } from '../text/text.ts';
import { tools } from '../text/tools.ts';
import { Json } from './json.tsx';

/** All mails, the newest first; each opens in place, and has its link. */
export function Mails(): ReactElement {
  return (
    <Loaded of={useQuery(mails, '')}>
      {({ messages }) => (
        <>
          {messages.length === 0 && <p className="empty">{t.entry.outboxEmpty}</p>}
          <ul className="rows">
            {messages.map((mail, index) => (
              <li key={messages.length - index}>
                <MailDetails mail={mail} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Loaded>
  );
}

function MailDetails({ mail }: { readonly mail: Mail }): ReactElement {
  const isNotice = mail.kind === 'notice';
  return (
    <details className="grow">
      <summary>
        <span>
          {isNotice ? t.entry.notice(toSentence(mail.change)) : t.entry.subjects[mail.kind]}{' '}
          <span className="hint">{mail.to}</span>
        </span>
        <Moment at={mail.sentAt} />
      </summary>
      {!isNotice && (
        <p>
          <a href={mail.url}>{tools.developer.openLink}</a>
        </p>
      )}
      <Json value={mail} label={tools.developer.json} />
    </details>
  );
}
