import type { ReactElement } from 'react';

/** Takes whoever goes by keyboard past the header. What is behind a `#` is a place, so the focus is moved by hand. */
export function SkipLink(): ReactElement {
  const skip = (): void => document.querySelector('h1')?.focus();
  return (
    <button className="skip" onClick={skip}>
      Skip to the content
    </button>
  );
}
