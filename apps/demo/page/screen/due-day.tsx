import type { ReactElement } from 'react';
import { t } from '../text/text.ts';
import { formatDay } from './wording.tsx';

const dayMs = 86_400_000;

/** When something is due; marked once that is over and it is not done. A short one stands below a heading. */
export function DueDay(props: {
  readonly at: string;
  readonly isDone?: boolean;
  readonly isShort?: boolean;
}): ReactElement {
  const { at, isDone = false, isShort = false } = props;
  // Something is due on a day, until the end of it.
  const isOver = !isDone && new Date(at).getTime() + dayMs <= Date.now();
  const day = formatDay(at);
  return (
    <time dateTime={at} className={isOver ? 'error' : 'hint'}>
      {isOver ? t.home.overdue(day) : isShort ? day : t.home.due(day)}
    </time>
  );
}
