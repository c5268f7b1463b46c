import type { ReactElement } from 'react';

/** Links to the parts of a screen. */
export function Tabs(props: {
  readonly label: string;
  readonly current: string;
  readonly tabs: readonly { readonly name: string; readonly text: string; readonly href: string }[];
}): ReactElement {
  return (
    <nav aria-label={props.label} className="tabs">
      {props.tabs.map(({ name, text, href }) => (
        <a key={name} href={href} aria-current={name === props.current ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}
