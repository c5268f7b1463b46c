import type { ClientError } from '@x/client';
import type { Pages, QueryState } from '@x/client/cache';
import type { ReactElement, ReactNode } from 'react';
import { t } from '../text/text.ts';
import { Skeleton } from './skeleton.tsx';
import { toErrorText } from './wording.tsx';

/**
 * Shows what was read. Before that there is a sketch of it; after an error it says why there is nothing newer, and
 * offers to try again. Nothing looks empty that could not be read.
 */
export function Loaded<T>(props: {
  readonly of: QueryState<T>;
  /** How many lines the sketch has. */
  readonly lines?: number;
  readonly children: (data: T) => ReactNode;
}): ReactElement {
  const { of, lines = 3, children } = props;
  const { data, error } = of;
  return (
    <>
      {error && <LoadError error={error} retry={() => void of.reload()} />}
      {data === undefined && !error && <Skeleton lines={lines} />}
      {data !== undefined && children(data)}
    </>
  );
}

/** Shows the pages of a list in the same way, with a button that reads the next one. */
export function LoadedPages<Item>(props: {
  readonly of: QueryState<Pages<Item>>;
  /** Shown instead of an empty list. */
  readonly empty: ReactNode;
  readonly lines?: number;
  readonly children: (items: readonly Item[], pages: Pages<Item>) => ReactNode;
}): ReactElement {
  const { of, empty, lines, children } = props;
  return (
    <Loaded of={of} {...(lines !== undefined && { lines })}>
      {(pages) => (
        <>
          {pages.items.length === 0 ? <p className="empty">{empty}</p> : children(pages.items, pages)}
          {pages.nextCursor !== null && (
            <p>
              <button onClick={of.loadMore} aria-busy={of.isLoading}>
                {t.common.showMore}
              </button>{' '}
              {pages.total !== undefined && (
                <span className="hint">{t.common.outOf(pages.items.length, pages.total)}</span>
              )}
            </p>
          )}
        </>
      )}
    </Loaded>
  );
}

function LoadError(props: { readonly error: ClientError; readonly retry: () => void }): ReactElement {
  const { error, retry } = props;
  const retriesItself = error.status === undefined || error.status >= 500 || error.code === 'RATE_LIMITED';
  return (
    <div role="alert" className="notice bad">
      <p>
        {toErrorText(error)} {retriesItself && t.common.retrying}
      </p>
      <button onClick={retry}>{t.common.retry}</button>
    </div>
  );
}
