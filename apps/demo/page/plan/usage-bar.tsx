import type { LimitUsage } from '@x/access/access-set';
import { type ReactElement, useId } from 'react';
import { formatDay } from '../screen/moment.tsx';

/** How much of a limit is used. */
export function UsageBar(props: { readonly limit: LimitUsage }): ReactElement {
  const { key, max, consumed, resetsAt } = props.limit;
  const isLimited = max !== -1;
  const id = useId();
  return (
    <div className="usage">
      <label htmlFor={id}>{key}</label>
      <span className="hint">
        {isLimited ? `${consumed} of ${max} used` : `${consumed} used, without a limit`}
        {resetsAt !== null && `, until ${formatDay(resetsAt)}`}
      </span>
      <progress id={id} max={isLimited ? Math.max(max, 1) : 1} value={isLimited ? consumed : 0} />
    </div>
  );
}
