import { type ReactElement, useEffect, useState } from 'react';
import { followed, getLastNotice } from '../client/live.ts';
import { language } from '../text/text.ts';
import { tools } from '../text/tools.ts';

/** What this tab hears of, and from whom. */
export function Live(): ReactElement {
  const [holds, setHolds] = useState<boolean | null>(null);
  const [last, setLast] = useState(getLastNotice);
  useEffect(() => {
    const look = (): void => {
      setLast(getLastNotice());
      void holdsStream().then(setHolds);
    };
    look();
    const timer = setInterval(look, 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <dl className="claims">
      <dt>{tools.developer.stream}</dt>
      <dd>{holds === null ? '…' : holds ? tools.developer.streamHere : tools.developer.streamElsewhere}</dd>
      <dt>{tools.developer.followed}</dt>
      <dd>{new Intl.ListFormat(language).format(followed)}</dd>
      <dt>{tools.developer.lastNotice}</dt>
      <dd>{last ? tools.developer.notice(last.of, formatTime(last.at)) : tools.developer.noNotice}</dd>
    </dl>
  );
}

/**
 * Whether this tab has the stream of notices, and not another one, which then tells it. A browser names the tabs that
 * hold locks by ids; a lock of its own tells a tab which one it is.
 */
async function holdsStream(): Promise<boolean> {
  const probe = `developer:${crypto.randomUUID()}`;
  return navigator.locks.request(probe, async () => {
    const { held = [] } = await navigator.locks.query();
    const tabOf = (start: string): string | undefined => held.find(({ name }) => name?.startsWith(start))?.clientId;
    return tabOf('x-client:live:') === tabOf(probe);
  });
}

function formatTime(at: Date): string {
  return new Intl.DateTimeFormat(language, { timeStyle: 'medium' }).format(at);
}
