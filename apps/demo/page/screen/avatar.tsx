import type { ReactElement } from 'react';

/** The first letter of a name in a circle. It is no text, so that names of controls need not contain it. */
export function Avatar(props: { readonly name: string }): ReactElement {
  return <span className="avatar" aria-hidden data-letter={props.name.charAt(0).toUpperCase()} />;
}
