import type { ReactElement } from 'react';

/** A moment, as people here write it. */
export function Moment(props: { readonly at: string }): ReactElement {
  return (
    <time dateTime={props.at} className="hint">
      {format.format(new Date(props.at))}
    </time>
  );
}

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
