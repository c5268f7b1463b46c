import { useQuery } from '@x/client/react';
import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { LoadedPages } from '../screen/loaded.tsx';
import { Moment, toSentence } from '../screen/wording.tsx';
import { t } from '../text/text.ts';

const eventPages = cache.pages(['events', 'sessions', 'identities', 'second-factor'], (_: void, after, options) =>
  client.auth.events({ limit: 10, after }, options),
);

/** The events of the account, the latest first. */
export function SecurityHistory(): ReactElement {
  return (
    <section aria-labelledby="security-history" className="card">
      <h2 id="security-history">{t.account.history}</h2>
      <LoadedPages of={useQuery(eventPages, undefined)} empty={t.account.noHistory}>
        {(events) => (
          <ul className="rows">
            {events.map(({ id, type, at, occurrences, deviceName, ipAddress }) => (
              <li key={id}>
                <div className="grow">
                  {toSentence(type)} {occurrences > 1 && <span>({t.account.historyTimes(occurrences)})</span>}
                  <p className="hint">{[deviceName, ipAddress].filter(Boolean).join(', ')}</p>
                </div>
                <Moment at={at} />
              </li>
            ))}
          </ul>
        )}
      </LoadedPages>
    </section>
  );
}
