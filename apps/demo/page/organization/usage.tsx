import type { LimitUsage } from '@x/access/access-set';
import { type ReactElement, useId } from 'react';
import { formatDay } from '../screen/wording.tsx';
import { t } from '../text/text.ts';

/** How much of a limit is used; a maximum of -1 means unlimited. */
export function Usage(props: { readonly limit: LimitUsage }): ReactElement {
  const { key, max, consumed, resetsAt } = props.limit;
  const isLimited = max !== -1;
  const id = useId();
  const part = isLimited ? consumed / Math.max(max, 1) : 0;
  return (
    <div className="usage" data-level={part >= 1 ? 'full' : part >= 0.8 ? 'high' : 'low'}>
      <label htmlFor={id}>{t.organization.limitNames[key] ?? key}</label>
      <span className="hint">
        {isLimited ? t.organization.used(consumed, max) : t.organization.usedUnlimited(consumed)}
        {resetsAt !== null && t.organization.untilDay(formatDay(resetsAt))}
      </span>
      <progress id={id} max={isLimited ? Math.max(max, 1) : 1} value={isLimited ? consumed : 0} />
    </div>
  );
}
