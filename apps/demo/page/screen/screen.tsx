import { type ReactElement, type ReactNode, useEffect, useRef } from 'react';

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
