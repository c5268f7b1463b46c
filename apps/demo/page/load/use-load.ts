import type { CallOptions, ClientError, ClientResult } from '@x/client';
import { useEffect, useRef, useState } from 'react';
import { onChange } from './changes.ts';

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
