import { type ReactElement, useEffect, useRef } from 'react';

/** Links to the parts of a screen; where they are wider than it, the current one is scrolled to. */
export function Tabs(props: {
  readonly label: string;
  readonly current: string;
  readonly tabs: readonly { readonly name: string; readonly text: string; readonly href: string }[];
}): ReactElement {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const tabs = nav.current;
    const current = tabs?.querySelector<HTMLElement>('[aria-current]');
    if (!tabs || !current) return;
    tabs.scrollLeft = current.offsetLeft - tabs.offsetLeft - (tabs.clientWidth - current.offsetWidth) / 2;
  }, [props.current]);
  return (
    <nav ref={nav} aria-label={props.label} className="tabs">
      {props.tabs.map(({ name, text, href }) => (
        <a key={name} href={href} aria-current={name === props.current ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}
