import type { CallOptions, ClientError, ClientResult } from '@x/client';
import type { ListState } from '@x/client/react';
import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';
import { toErrorText } from '../screen/wording.tsx';
import { onChange, onChangeElsewhere } from './changes.ts';

/** Something that the server has: what is known of it, and why there is no newer. */
export interface Loaded<T> {
  readonly value: T | undefined;
  readonly error: ClientError | null;
}

/** Loads something, and again whenever its topic changes in any tab. What is there stays until something newer is. */
export function useLoad<T>(topic: string, load: (options: CallOptions) => Promise<ClientResult<T>>): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ value: undefined, error: null });
  const latest = useRef(load);
  useEffect(() => {
    latest.current = load;
  });
  useEffect(() => {
    let running = new AbortController();
    const reload = async (): Promise<void> => {
      running.abort();
      running = new AbortController();
      const { signal } = running;
      const answer = await latest.current({ signal });
      if (signal.aborted) return;
      setLoaded((before) =>
        answer.ok ? { value: answer.data, error: null } : { value: before.value, error: answer.error },
      );
    };
    void reload();
    const stop = onChange(topic, () => void reload());
    return () => {
      stop();
      running.abort();
    };
  }, [topic]);
  return loaded;
}

/** Has a list loaded again for what other tabs have written, too; what this one writes it knows of. */
export function useSyncedList<List extends { readonly reload: () => void }>(list: List): List {
  const { reload } = list;
  useEffect(() => onChangeElsewhere('records', reload), [reload]);
  return list;
}

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
