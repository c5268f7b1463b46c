import { type ReactElement, useEffect, useId, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { screenOf, usePlace } from '../navigation/location.ts';
import { t } from '../text/text.ts';

/** Something that has just happened. */
interface Announcement {
  readonly id: number;
  readonly text: string;
  /** Takes it back. */
  readonly undo: (() => void) | undefined;
  /** The screen that it ends with; null where it can be taken back from any. */
  readonly screen: string | null;
}

let current: Announcement | null = null;
let nextId = 1;
const listeners = new Set<() => void>();

/** Where announcements can appear, the one in front last. */
const places: string[] = [];

/** What an announcement ends with at the latest. */
type End = 'screen' | 'time';

/**
 * Says what has just happened: for a few seconds, and to screen readers. Whoever goes on to another screen is done with
 * it, unless it can be taken back from there.
 */
export function announce(text: string, undo?: () => void, end: End = undo ? 'time' : 'screen'): void {
  show({ id: nextId++, text, undo, screen: end === 'screen' ? screenOf(location.pathname) : null });
}

function show(next: Announcement | null): void {
  current = next;
  emit();
}

function emit(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

const shownMs = 8000;

/**
 * Where announcements appear: on the page, or in the dialog in front of it, beside which nothing is read or used. One
 * that is pointed at, or has the focus, stays.
 */
export function Announcements(): ReactElement {
  const id = useId();
  const shown = useSyncExternalStore(subscribe, () => (places.at(-1) === id ? current : null));
  useLayoutEffect(() => {
    places.push(id);
    emit();
    return () => {
      places.splice(places.indexOf(id), 1);
      emit();
    };
  }, [id]);
  const screen = screenOf(usePlace().pathname);
  useLayoutEffect(() => {
    if (shown && shown.screen !== null && shown.screen !== screen) show(null);
  }, [shown, screen]);
  const [held, setHeld] = useState<Announcement | null>(null);
  useEffect(() => {
    if (!shown || shown === held) return;
    const timer = setTimeout(() => show(null), shownMs);
    return () => clearTimeout(timer);
  }, [shown, held]);
  const hold = (): void => setHeld(shown);
  const release = (): void => setHeld(null);
  return (
    <div className="toasts" onMouseEnter={hold} onMouseLeave={release} onFocus={hold} onBlur={release}>
      <p role="status">{shown?.text}</p>
      {shown?.undo && (
        <button
          onClick={() => {
            shown.undo?.();
            show(null);
          }}
        >
          {t.common.undo}
        </button>
      )}
      {shown && (
        <button className="quiet" aria-label={t.common.dismiss} onClick={() => show(null)}>
          ×
        </button>
      )}
    </div>
  );
}
