import type { ReactElement, ReactNode } from 'react';
import { language } from '../text/text.ts';
import { formatTime } from './wording.tsx';

/** What has happened, in one list for each day with its heading, in the order that is given. */
export function Days<Item extends { readonly at: string }>(props: {
  readonly of: readonly Item[];
  readonly children: (item: Item) => ReactElement;
}): ReactNode {
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'full' });
  return Array.from(
    Map.groupBy(props.of, ({ at }) => format.format(new Date(at))),
    ([day, items]) => (
      <section key={day} aria-label={day}>
        <h2 className="day">{day}</h2>
        <ul className="rows">{items.map((item) => props.children(item))}</ul>
      </section>
    ),
  );
}

/** The time of a day that the heading names. */
export function TimeOfDay(props: { readonly at: string }): ReactElement {
  return (
    <time dateTime={props.at} className="hint">
      {formatTime(props.at)}
    </time>
  );
}
