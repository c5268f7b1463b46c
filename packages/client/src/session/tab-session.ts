import type { ClientResult, RequestOptions } from '../request/send.ts';
import { createSignal, type Signal } from '../signal.ts';
import { type ActiveSession, loading, type SessionState, signedInAs, signedOut } from './session-state.ts';
import type { RefreshSchedule } from './refresh-schedule.ts';
import type { Environment } from './environment.ts';
import { createExclusively, type Exclusively } from './tabs.ts';

/** A write to an entity that has succeeded: its path, its request and its result. */
export type EntityWrite = readonly [path: string, options: RequestOptions, result: ClientResult<unknown>];

/** The session as one tab knows it, and shares it with the others. */
export interface TabSession {
  /** Who is signed in, for pages that show it. */
  readonly state: SessionState;
  /** Undefined if no user is signed in, or nothing is known yet. */
  readonly session?: ActiveSession | undefined;
  /** Emitted for every new {@link state}. */
  readonly shown: Signal<SessionState>;
  /**
   * Emitted when what the user may see and do may have changed: by a write to an entity, or without one for every
   * session that leaves the state unchanged, a new JWT for the same user.
   */
  readonly touched: Signal<EntityWrite | void>;
  /** Sets or ends the session in this tab only. */
  readonly set: (next?: ActiveSession) => void;
  /** Sets or ends the session in every tab. */
  readonly publish: (next?: ActiveSession) => void;
  /** Runs work that changes the session, while no other tab does. */
  readonly alone: Exclusively;
  /** Stops talking to other tabs. */
  readonly close: () => void;
}

type ChangingSession = { -readonly [Member in keyof TabSession]: TabSession[Member] };

/** Creates the session of a tab. Each new session plans its refresh. */
export function createTabSession(
  { inBrowser, locks, channel }: Environment,
  name: string,
  plan: RefreshSchedule,
): TabSession {
  channel?.addEventListener('message', ({ data }) => {
    // Tabs share the clock of the machine, and no other.
    if (data === null) plan.postpone();
    else tab.set(data);
  });
  const tab: ChangingSession = {
    state: inBrowser ? loading : signedOut,
    shown: createSignal<SessionState>(),
    touched: createSignal<EntityWrite | void>(),
    set(next?: ActiveSession) {
      const before = tab.state;
      tab.session = next;
      plan.schedule(next);
      tab.state = next ? signedInAs(next.data.user, before) : signedOut;
      if (tab.state === before) tab.touched.emit();
      else tab.shown.emit(tab.state);
    },
    publish(next?: ActiveSession) {
      channel?.postMessage(next);
      tab.set(next);
    },
    alone: createExclusively(locks, name, () => channel?.postMessage(null)),
    close() {
      plan.close();
      channel?.close();
      channel = undefined;
    },
  };
  return tab;
}
