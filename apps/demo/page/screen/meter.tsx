import type { ComponentProps, ReactElement } from 'react';

/** How much of something there is at most, and how much of that is used; a maximum of -1 means unlimited. */
interface Consumption {
  readonly max: number;
  readonly consumed: number;
}

/** Shows how much of a limit is used: in red once nothing is left. */
export function Meter(props: ComponentProps<'progress'> & { readonly of: Consumption }): ReactElement {
  const { of, ...progress } = props;
  const { max, consumed } = of;
  return (
    <progress
      {...progress}
      className={isUsedUp(of) ? 'full' : undefined}
      max={Math.max(max, 1)}
      value={max === -1 ? 0 : Math.min(consumed, max)}
    />
  );
}

/** Whether nothing is left of a limit. */
export function isUsedUp({ max, consumed }: Consumption): boolean {
  return max !== -1 && consumed >= Math.max(max, 1);
}
