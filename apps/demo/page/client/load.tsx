import type { CallOptions, ClientError, ClientResult } from '@x/client';
import type { ListState } from '@x/client/react';
import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';
import { toErrorText } from '../screen/wording.tsx';
import { onChange, onChangeElsewhere } from './changes.ts';

/** Something loaded: its last known value, and the error of the last attempt. */
export interface Loaded<T> {
  readonly value: T | undefined;
  readonly error: ClientError | null;
}

/** Loads something, and again whenever its topic changes in any tab. The old value stays until the new one is there. */
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
      const result = await latest.current({ signal });
      if (signal.aborted) return;
      setLoaded((before) =>
        result.ok ? { value: result.data, error: null } : { value: before.value, error: result.error },
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

/** Makes a list of the client load again when another tab has written; it already does after writes of this tab. */
export function useSyncedList<List extends { readonly reload: () => void }>(list: List): List {
  const { reload } = list;
  useEffect(() => onChangeElsewhere('records', reload), [reload]);
  return list;
}

/** Shows what was loaded. Before that it says so; after an error it says why there is nothing newer. */
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

/** Shows a list of the client in the same way, with a button that loads the next page if there is one. */
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
