import type { LimitUsage } from '@x/access/access-set';
import { type ReactElement, useId } from 'react';
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
  const part = isLimited ? consumed / Math.max(max, 1) : 0;
  return (
    <div className="usage" data-level={part >= 1 ? 'full' : part >= 0.8 ? 'high' : 'low'}>
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
      <progress
        aria-labelledby={id}
        max={isLimited ? Math.max(max, 1) : 1}
        value={isLimited ? Math.min(consumed, max) : 0}
      />
      {isExplained && isLimited && (
        <p className="hint">
          {part >= 1 ? t.organization.limitReached[key] : t.organization.atLimit[key]}{' '}
          {resetsAt !== null && t.organization.startsAnew(formatDay(resetsAt))}
        </p>
      )}
    </div>
  );
}
