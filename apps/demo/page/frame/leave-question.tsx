import { type ReactElement, useEffect, useState } from 'react';
import { navigate } from '../navigation/location.ts';
import { DiscardQuestion } from '../screen/dialog.tsx';
import { discardUnsaved, hasUnsaved } from '../screen/unsaved.ts';

/** What asks before the visitor goes where open dialogs do not stay. */
interface LeaveQuestion {
  /** Does what leads away from the screen, once nothing unsaved is left or it is given up. */
  readonly leave: (go: () => void) => void;
  readonly question: ReactElement | null;
}

/**
 * Asks before an address is left by which something unsaved would be lost: by Back, by a link or by a command. Before a
 * reload, or a way to another site, the browser asks.
 */
export function useLeaveQuestion(): LeaveQuestion {
  const [pending, setPending] = useState<(() => void) | null>(null);
  const leave = (go: () => void): void => {
    if (hasUnsaved()) setPending(() => go);
    else go();
  };
  useEffect(() => {
    const listening = new AbortController();
    const onNavigate = (event: NavigateEvent): void => {
      const { destination, navigationType } = event;
      if (!destination.sameDocument || destination.url === location.href) return;
      // Browsers let nobody keep a visitor who goes back twice in a row.
      if (!event.cancelable || !hasUnsaved()) return setPending(null);
      event.preventDefault();
      const { pathname, search } = new URL(destination.url);
      setPending(() => () => {
        if (navigationType === 'traverse') navigation.traverseTo(destination.key);
        else navigate(pathname + search, navigationType === 'replace' ? 'replace' : 'push');
      });
    };
    // Where a browser does not tell of its navigation, commands and the browser itself ask nevertheless.
    if ('navigation' in globalThis) navigation.addEventListener('navigate', onNavigate, listening);
    addEventListener('beforeunload', (event) => hasUnsaved() && event.preventDefault(), listening);
    return () => listening.abort();
  }, []);
  const question = pending && (
    <DiscardQuestion
      onKeep={() => setPending(null)}
      onDiscard={() => {
        discardUnsaved();
        setPending(null);
        pending();
      }}
    />
  );
  return { leave, question };
}
