import { type RefObject, useLayoutEffect, useRef } from 'react';

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
