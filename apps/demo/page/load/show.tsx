import type { ListState } from '@x/client/react';
import type { ReactElement, ReactNode } from 'react';
import { toErrorText } from '../form/error-text.ts';
import type { Loaded } from './use-load.ts';

/** Shows what was loaded, and says where there is nothing, or nothing newer. */
export function Show<T>(props: { readonly of: Loaded<T>; readonly children: (value: T) => ReactNode }): ReactElement {
  const { value, error } = props.of;
  return (
    <>
      {error && (
        <p role="alert" className="error">
          {toErrorText(error)}
        </p>
      )}
      {value === undefined && !error && <p className="hint">Loading…</p>}
      {value !== undefined && props.children(value)}
    </>
  );
}

/** The same for a list, of which there may be more. */
export function ShowList<Item>(props: {
  readonly of: ListState<Item>;
  readonly children: (items: readonly Item[]) => ReactNode;
}): ReactElement {
  const { status, items, error, hasNextPage, loadMore } = props.of;
  return (
    <Show of={{ value: status === 'loading' ? undefined : items, error }}>
      {(shown) => (
        <>
          {props.children(shown)}
          {hasNextPage && <button onClick={loadMore}>Show more</button>}
        </>
      )}
    </Show>
  );
}
