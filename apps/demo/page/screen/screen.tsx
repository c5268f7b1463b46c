import { type ReactElement, type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

/**
 * One screen with its heading. A screen that replaces another moves the focus to its heading, so that a screen reader
 * starts there; the first one leaves the focus where the browser puts it.
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

/** The title of the screen that was shown last; empty before the first. */
let shown = '';

/** Takes keyboard users past the header. A link to `#content` would change the place, so it moves the focus itself. */
export function SkipLink(): ReactElement {
  const skip = (): void => document.querySelector('h1')?.focus();
  return (
    <button className="skip" onClick={skip}>
      Skip to the content
    </button>
  );
}

/**
 * Returns a ref for an element that may be removed while it has the focus, such as the button that deletes its own row:
 * the focus then moves to the heading of the screen, instead of getting lost.
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

/** Unless something else already has the focus, such as what replaced the element. */
function focusHeading(): void {
  if (document.activeElement === document.body) document.querySelector('h1')?.focus();
}
