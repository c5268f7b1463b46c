import { createSignal, type Signal } from '../change/signal.ts';
import type { KnownSession } from './known-session.ts';
import type { RefreshPlan } from './refresh-plan.ts';
import { loading, type SessionState, signedInAs, signedOut } from './session-state.ts';
import type { Surroundings } from './surroundings.ts';
import { byLock, type Exclusively, inTurn, type TabMessage } from './tabs.ts';
import { now } from './time.ts';

/** The session as one tab knows it, and shares it with the others. */
export interface TabSession {
  /** Who is signed in, for pages that show it. */
  readonly state: SessionState;
  /** Undefined while nobody is signed in, or nothing is known yet. */
  readonly session: KnownSession | undefined;
  /** Tells of every new {@link state}. */
  readonly shown: Signal;
  /** Tells of every session that left the state as it was: a new JWT for the same user. */
  readonly renewed: Signal;
  /** Takes up a session, or ends it, in this tab alone. */
  readonly take: (next?: KnownSession) => void;
  /** Takes up a session, or ends it, in every tab. */
  readonly publish: (next?: KnownSession) => void;
  /** Runs work that changes the session while no other tab does. */
  readonly exclusively: Exclusively;
  /** Neither tells other tabs any more nor listens to them. */
  readonly close: () => void;
}

/** Creates the session of a tab. Whenever it takes up another one, the refresh of that is planned. */
export function createTabSession(
  { inBrowser, locks, channel, rememberSession }: Surroundings,
  name: string,
  plan: RefreshPlan,
): TabSession {
  const tell = (message: TabMessage): void => channel?.postMessage(message);
  channel?.addEventListener('message', ({ data }) => {
    const { session } = data;
    // Tabs share the clock of the machine, and no other.
    if ('session' in data) tab.take(session && { ...session, since: { ...now(), wall: session.since.wall } });
    else plan.putOff();
  });
  const tab = {
    state: inBrowser ? loading : signedOut,
    session: undefined as KnownSession | undefined,
    shown: createSignal(),
    renewed: createSignal(),
    take(next?: KnownSession) {
      const before = tab.state;
      tab.session = next;
      plan.follow(next);
      tab.state = next ? signedInAs(next.data.user, before) : signedOut;
      (tab.state === before ? tab.renewed : tab.shown).emit();
    },
    publish(next?: KnownSession) {
      rememberSession(!!next);
      tell({ session: next });
      tab.take(next);
    },
    exclusively: locks ? byLock(locks, name) : inTurn(tell),
    close() {
      channel?.close();
      channel = undefined;
    },
  };
  return tab;
}
