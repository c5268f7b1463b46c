import { type ReactElement, type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { t } from '../text/text.ts';

/**
 * One screen with its heading. A screen that replaces another, or takes its place with what had the focus, moves the
 * focus to its heading, so that a screen reader starts there; the first one leaves it where the browser puts it.
 */
export function Screen(props: {
  readonly title: string;
  /** Whether it is one narrow column, as forms are. */
  readonly narrow?: boolean;
  /** Stands above the heading, such as the way back. Default where it is narrow: the name of the product. */
  readonly above?: ReactNode;
  /** Stands beside the heading. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}): ReactElement {
  const { title, narrow = false, above = narrow && <Brand />, actions, children } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Tracker`;
    const isLost = document.activeElement === document.body;
    if (shown && (shown !== title || isLost) && !document.querySelector('dialog[open]')) {
      heading.current?.focus({ preventScroll: true });
    }
    shown = title;
  }, [title]);
  return (
    <main id="content" className={narrow ? 'screen narrow' : 'screen'}>
      {above}
      <div className="screen-head">
        <h1 ref={heading} tabIndex={-1} className="clamp" title={title.length > shortest ? title : undefined}>
          {title}
        </h1>
        {actions}
      </div>
      {children}
    </main>
  );
}

/** The name of the product, which leads to its start. */
export function Brand(): ReactElement {
  return (
    <a href="/" className="brand">
      Tracker
    </a>
  );
}

/** A title of fewer characters fits, so that there is nothing to read by pointing at it. */
const shortest = 60;

/** The title of the screen that was shown last; empty before the first. */
let shown = '';

/** Takes keyboard users past the navigation. */
export function SkipLink(): ReactElement {
  const skip = (): void => document.querySelector('h1')?.focus();
  return (
    <button className="skip" onClick={skip}>
      {t.common.skip}
    </button>
  );
}

/**
 * Returns a ref for an element that may be removed while it has the focus, such as the button that deletes its own row:
 * the focus then stays near, in the next row or the one before, instead of getting lost.
 */
export function useKeptFocus<T extends HTMLElement>(): RefObject<T | null> {
  const ref = useRef<T>(null);
  useLayoutEffect(() => {
    const element = ref.current;
    return () => {
      const focused = document.activeElement;
      // A dialog that it has opened goes with it.
      if (!element || !(element.contains(focused) || focused?.closest('dialog'))) return;
      const row = element.closest('li, tr');
      const neighbours = [row?.nextElementSibling, row?.previousElementSibling, row?.parentElement?.closest('section')];
      queueMicrotask(() => focusNear(neighbours));
    };
  }, []);
  return ref;
}

/** Unless something else already has the focus, such as what replaced the element. */
function focusNear(neighbours: readonly (Element | null | undefined)[]): void {
  if (document.activeElement !== document.body) return;
  const near = neighbours.find((each) => each?.isConnected)?.querySelector<HTMLElement>('button, a, input, h2, h3');
  const target = near ?? document.querySelector('h1');
  if (target && /^H\d$/.test(target.tagName)) target.tabIndex = -1;
  target?.focus({ preventScroll: true });
}
