import type { ReactElement } from 'react';

/** A moment, as people here write it. */
export function Moment(props: { readonly at: string }): ReactElement {
  return (
    <time dateTime={props.at} className="hint">
      {moment.format(new Date(props.at))}
    </time>
  );
}

/** Writes the day of a moment. */
export function formatDay(at: string): string {
  return day.format(new Date(at));
}

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
