import { setTimeout } from 'node:timers/promises';
import type { Revocation, SessionId } from '@x/store';
import pg from 'pg';
import { closeClient } from './connection.ts';
import type { DatabaseHosts } from './hosts.ts';
import { connectMs } from './timeouts.ts';

/** Receives revocations. */
type Publish = (revocations: readonly Revocation[]) => void;

/** How often an idle connection is checked. */
const heartbeatMs = 1000;

/** How long to wait before a lost connection is replaced. */
const pauseMs = 250;

/**
 * Receives, on a connection of its own, every revocation that another process on the database commits. A lost
 * connection is replaced; revocations in between are missed, and their JWTs live until they expire.
 */
export class RevocationSubscription {
  readonly #hosts: DatabaseHosts;
  readonly #isOwn: (processId: number) => boolean;
  readonly #stopped = new AbortController();
  readonly #established = Promise.withResolvers<void>();
  #publish: Publish | undefined;

  constructor(options: { readonly hosts: DatabaseHosts; readonly isOwn: (processId: number) => boolean }) {
    this.#hosts = options.hosts;
    this.#isOwn = options.isOwn;
  }

  /** Starts reporting, until it is stopped. */
  start(publish: Publish): void {
    this.#publish = publish;
    void this.#keepListening();
  }

  /** Waits until the connection is first established, if it was started, but not for long. */
  async established(): Promise<void> {
    if (this.#publish) await Promise.race([this.#established.promise, pause(connectMs, this.#stopped.signal)]);
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #keepListening(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      // Whatever went wrong, the only remedy is to try again.
      await this.#listen().catch(() => undefined);
      await pause(pauseMs, this.#stopped.signal);
    }
  }

  /** Listens until the connection is lost. */
  async #listen(): Promise<void> {
    const host = await this.#hosts.locate();
    const client = new pg.Client({
      connectionString: host.url,
      connectionTimeoutMillis: connectMs,
      query_timeout: connectMs,
      keepAlive: true,
    });
    const lost = new AbortController();
    client.on('error', () => undefined);
    client.on('end', () => lost.abort());
    client.on('notification', ({ processId, payload }) => {
      if (!this.#isOwn(processId)) this.#publish?.(parseRevocation(payload));
    });
    try {
      await client.connect();
      await client.query('LISTEN auth_revoked');
      this.#established.resolve();
      const over = AbortSignal.any([this.#stopped.signal, lost.signal]);
      for (;;) {
        await pause(heartbeatMs, over);
        // Another server may take writes by now, while this one is still there.
        if (over.aborted || host !== this.#hosts.latest) return;
        await client.query('SELECT 1');
      }
    } finally {
      this.#hosts.lose(host);
      void closeClient(client);
    }
  }
}

/** Waits this long, or until aborted. Does not keep the process alive. */
function pause(milliseconds: number, over: AbortSignal): Promise<void> {
  return setTimeout(milliseconds, undefined, { ref: false, signal: over }).catch(() => undefined);
}

/** The payload is the session's id, a space, and the lowest `ver` that is still valid, if any. */
function parseRevocation(payload = ''): readonly Revocation[] {
  const [id, ver] = payload.split(' ');
  return id ? [{ sessionId: id as SessionId, lowestVer: ver ? Number(ver) : null }] : [];
}
