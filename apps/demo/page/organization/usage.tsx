import type { LimitUsage } from '@x/access/access-set';
import { type ReactElement, useId } from 'react';
import { isUsedUp, Meter } from '../screen/meter.tsx';
import { formatDay, formatNumber } from '../screen/wording.tsx';
import { t } from '../text/text.ts';

/** How much of a limit is used; a maximum of -1 means unlimited. */
export function Usage(props: {
  readonly limit: LimitUsage;
  /** Where its name leads. */
  readonly href?: string;
  /** Whether it says what happens at the limit. */
  readonly isExplained?: boolean;
}): ReactElement {
  const { limit, href, isExplained = false } = props;
  const { key, max, consumed, resetsAt } = limit;
  const isLimited = max !== -1;
  const id = useId();
  const name = t.organization.limitNames[key] ?? key;
  return (
    <div className="usage">
      {href === undefined ? (
        <strong id={id}>{name}</strong>
      ) : (
        <a id={id} href={href} aria-label={`${name}: ${t.organization.usageTitle}`}>
          {name}
        </a>
      )}
      <span className="hint">
        {isLimited
          ? t.organization.used(formatNumber(consumed), formatNumber(max))
          : t.organization.usedUnlimited(formatNumber(consumed))}
        {resetsAt !== null && !isExplained && t.organization.resetsOn(formatDay(resetsAt))}
      </span>
      <Meter of={limit} aria-labelledby={id} />
      {isExplained && isLimited && (
        <p className="hint">
          {isUsedUp(limit) ? t.organization.limitReached[key] : t.organization.atLimit[key]}{' '}
          {resetsAt !== null && t.organization.startsAnew(formatDay(resetsAt))}
        </p>
      )}
    </div>
  );
}
