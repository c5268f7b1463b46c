import { type ReactElement, type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

/**
 * One screen with its heading. A screen that takes the place of another moves the focus to its heading, so that a reader
 * of the page starts there; the first one leaves it where the browser has it.
 */
export function Screen(props: {
  readonly title: string;
  /** Whether it is one narrow column, as forms are. */
  readonly narrow?: boolean;
  readonly children: ReactNode;
}): ReactElement {
  const { title, narrow = false, children } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Tracker`;
    if (shown && shown !== title) heading.current?.focus();
    shown = title;
  }, [title]);
  return (
    <main id="content" className={narrow ? 'screen narrow' : 'screen'}>
      {narrow && (
        <a href="/" className="brand">
          Tracker
        </a>
      )}
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </main>
  );
}

/** The title of the screen that was shown last. */
let shown = '';

/** Takes whoever goes by keyboard past the header. What is behind a `#` is a place, so the focus is moved by hand. */
export function SkipLink(): ReactElement {
  const skip = (): void => document.querySelector('h1')?.focus();
  return (
    <button className="skip" onClick={skip}>
      Skip to the content
    </button>
  );
}

/**
 * Returns a ref for something that may go away while the focus is in it, as the button that deletes its own row: then the
 * focus moves to the heading of the screen, not to nowhere.
 */
export function useKeptFocus<T extends HTMLElement>(): RefObject<T | null> {
  const ref = useRef<T>(null);
  useLayoutEffect(() => {
    const element = ref.current;
    return () => {
      if (element?.contains(document.activeElement)) queueMicrotask(focusHeading);
    };
  }, []);
  return ref;
}

/** Unless the focus is somewhere already, such as on what has come instead. */
function focusHeading(): void {
  if (document.activeElement === document.body) document.querySelector('h1')?.focus();
}
