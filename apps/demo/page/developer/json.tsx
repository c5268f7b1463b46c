import type { ReactElement } from 'react';

/** Shows JSON as lines; a text that is none, as it is. */
export function Json(props: { readonly value: unknown; readonly label: string }): ReactElement {
  return (
    <pre tabIndex={0} role="region" aria-label={props.label}>
      {toLines(props.value)}
    </pre>
  );
}

function toLines(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2);
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}
