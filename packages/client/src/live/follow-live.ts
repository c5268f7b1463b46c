import type { UpdatedAt } from '../cache/query-cache.ts';
import type { Client } from '../index.ts';

/** What is followed, and who is told. */
export interface LiveOptions<Entity extends string> {
  /** The entities whose lists are followed, as far as the user may list them: at most 50. */
  readonly entities: readonly Entity[];
  /**
   * Called when records of an entity that the user may list have changed, or may have.
   *
   * @param updatedAt - the time of the only change of each record, by its id, if that is all that has changed
   */
  readonly onChange: (entity: Entity, updatedAt?: UpdatedAt) => void;
  /**
   * Called when roles, plans or flags have changed what the user may do. Afterwards, `client.access` is loaded again by
   * itself, unless it is of this version.
   *
   * @param hash - that of the access set; undefined where it may have changed several times
   */
  readonly onAccess?: (hash?: string) => unknown;
}

/**
 * Follows the changes that anybody makes, on any device, while a user is signed in: of records, of what the user may
 * do, and of the session, which ends here at once when it is ended elsewhere. Requires a server with `live: true` at
 * the page's own origin. Returns the function that stops.
 *
 * Of the tabs that follow the same entities, one has the stream of notices, and the next one takes it over. In an app
 * with a query cache, the others hear by `invalidate`.
 *
 * @example
 * ```ts
 * const cache = createQueryCache<'tasks' | 'projects'>(client, 'app');
 * followLive(client, {
 *   entities: ['tasks', 'projects'],
 *   onChange: (entity, updatedAt) => cache.invalidate([entity], updatedAt),
 * });
 * ```
 */
export function followLive<Entity extends string>(
  client: Pick<Client, 'session' | 'request'> & {
    readonly access: Pick<Client['access'], 'refresh' | 'getSnapshot'>;
    readonly auth: Pick<Client['auth'], 'getSession'>;
  },
  { entities, onChange, onAccess }: LiveOptions<Entity>,
): () => void {
  let stopped = new AbortController();
  let userId: string | undefined;

  const changeAccess = async (hash?: string): Promise<void> => {
    const { signal } = stopped;
    await onAccess?.(hash);
    if (signal.aborted) return;
    if (client.access.getSnapshot().etag !== `"${hash}"`) void client.access.refresh();
  };
  /** Tells of all that may have changed while nothing was noticed. */
  const changeAll = (): void => {
    entities.forEach((entity) => onChange(entity));
    void changeAccess();
  };

  /** Opens a stream, and others after it, until `stop` aborts. */
  const follow = (stop: AbortSignal): void => {
    let failures = 0;
    let streamId: string | undefined;
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;

    /** Opens another stream after a while, if the user is still signed in by then. */
    const reopen = (delayMs: number): void => {
      source?.close();
      clearTimeout(timer);
      timer = setTimeout(() => void comeBack(), delayMs);
    };
    const comeBack = async (): Promise<void> => {
      // It refreshes the JWT that the stream is opened with, and ends the session here if it has ended.
      await client.auth.getSession();
      if (!stop.aborted) open();
    };
    const onError = (): void => {
      // While it connects again by itself, there is nothing to do.
      if (source?.readyState === 2) reopen(Math.min(1000 * 2 ** failures++, 30_000) * (1 + Math.random()));
    };
    const on = (event: string, listener: (data: Notice) => unknown): void =>
      source?.addEventListener(event, ({ data }: MessageEvent<string>) => listener(JSON.parse(data) as Notice));

    const open = (): void => {
      source = new EventSource('/api/live?updatedAt=true');
      on('ready', async (notice) => {
        failures = 0;
        // After a reconnection, the stream still has its subscriptions.
        if (notice.streamId === streamId) return;
        ({ streamId } = notice);
        await Promise.all(entities.map((entity) => subscribe(notice.streamId, entity)));
        // What the page has read until now may be older than its subscriptions.
        changeAll();
      });
      on('change', ({ subscription, updatedAt }) => onChange(subscription as Entity, updatedAt));
      on('reset', changeAll);
      on('access', ({ hash }) => changeAccess(hash));
      on('session', () => reopen(0));
      source.addEventListener('error', onError);
    };
    stop.addEventListener('abort', () => {
      clearTimeout(timer);
      source?.close();
    });
    open();
  };

  const subscribe = (streamId: string, entity: Entity): Promise<unknown> =>
    client.request('/api/live/subscriptions', { method: 'POST', body: { streamId, id: entity, entity } });

  const unsubscribe = client.session.subscribe(({ user }) => {
    if (user?.id === userId) return;
    userId = user?.id;
    stopped.abort();
    stopped = new AbortController();
    if (user && globalThis.EventSource) void alone(`x-client:live:${entities.join()}`, stopped.signal, follow);
  });
  return () => {
    unsubscribe();
    stopped.abort();
  };
}

/** The members of events; each event has some of them. */
interface Notice {
  readonly streamId: string;
  readonly subscription: string;
  readonly hash: string;
  readonly updatedAt?: UpdatedAt;
}

/** Runs work in one tab at a time, where the browser lets tabs agree: until `stop` aborts. */
async function alone(name: string, stop: AbortSignal, work: (stop: AbortSignal) => void): Promise<void> {
  const ended = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve()));
  const start = (): Promise<void> => {
    if (!stop.aborted) work(stop);
    return ended;
  };
  try {
    await navigator.locks.request(name, { signal: stop }, start);
  } catch {
    // No lock is available; or it was waited for until there was nothing more to do.
    await start();
  }
}
