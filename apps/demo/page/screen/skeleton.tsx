import type { ReactElement } from 'react';
import { t } from '../text/text.ts';

/** The sketch of something that is being read. */
export function Skeleton(props: { readonly lines: number }): ReactElement {
  return (
    <div className="skeleton" role="status" aria-label={t.common.loading}>
      {Array.from({ length: props.lines }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}
