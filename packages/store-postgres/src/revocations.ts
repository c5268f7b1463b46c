import { setTimeout } from 'node:timers/promises';
import type { Revocation, SessionId } from '@x/store';
import type { SqlRow, SqlScope } from '@x/store-sql';
import pg from 'pg';
import { closeClient } from './connection.ts';
import type { DatabaseHosts } from './hosts.ts';
import { HeardRevocations, type ToldRevocation } from './heard-revocations.ts';

/** Receives revocations. */
type Publish = (revocations: readonly Revocation[]) => void;

/** What a subscription needs. */
interface SubscriptionOptions {
  /** Where it listens. */
  readonly hosts: DatabaseHosts;
  /** Whether a pooler is there, which passes no notifications on; `auto`: its connection tells. */
  readonly pooled: boolean | 'auto';
  /** Runs a statement on the database. */
  readonly read: SqlScope['read'];
  /** Says whether this process revoked, and knows that it did. */
  readonly isOwn: (origin: string) => boolean;
  /** Receives a line for the log. */
  readonly warn: (message: string) => void;
}

/** How often an idle connection is checked, in milliseconds: with its time limit, a revocation is less than 2 s late. */
const heartbeatMs = 500;

/** How long the server may take to answer, and a start may wait for it to listen. */
const answerMs = 1000;

/** How long to wait before a lost connection is replaced. */
const pauseMs = 250;

/** How often revocations are read while no connection listens. */
const pollMs = 1000;

/** How often the feed of changes is read at least, in milliseconds: a read that finds nothing costs next to nothing. */
const hintMs = 250;

/** How often those that everybody has read are deleted. */
const pruneMs = 60_000;

/** How many are read, or deleted, at a time. */
const pageSize = 1000;

const selectSettled = `SELECT COALESCE((SELECT seq FROM auth_revocations
  WHERE at < clock_timestamp() - interval '10 s' ORDER BY seq DESC LIMIT 1), 0) AS settled`;

const selectLater = `SELECT seq, origin, session_id, lowest_ver FROM auth_revocations
  WHERE seq > $1 ORDER BY seq LIMIT ${pageSize}`;

/** Whoever was cut off for longer finds its JWTs expired. */
const deleteOld = `DELETE FROM auth_revocations WHERE seq IN (SELECT seq FROM auth_revocations
  WHERE at < clock_timestamp() - interval '1 h' ORDER BY seq LIMIT ${pageSize} FOR UPDATE SKIP LOCKED)`;

/**
 * Receives every revocation that another process on the database commits: at once, on a connection of its own, and
 * otherwise from a table that numbers them. That is read whenever the connection was established, for what was missed,
 * and every second while there is none.
 */
export class RevocationSubscription {
  readonly #options: SubscriptionOptions;
  readonly #stopped = new AbortController();
  readonly #established = Promise.withResolvers<void>();
  readonly #heard = new HeardRevocations();
  #publish: Publish | undefined;
  #state: 'connecting' | 'listening' | 'behind-pooler' = 'connecting';
  #isWarned = false;
  #isBegun = false;
  readonly #watchers = new Set<{ readonly call: () => void }>();

  constructor(options: SubscriptionOptions) {
    this.#options = options;
    if (options.pooled === true) this.#state = 'behind-pooler';
  }

  /** Starts reporting, until it is stopped. */
  start(publish: Publish): void {
    this.#publish = publish;
    this.#begin();
    void this.#keepPolling();
    void this.#keepPruning();
  }

  /**
   * Calls back when a process has told that it appended to the feed of changes, and besides so often that nobody needs to
   * be told, until the result is called or it is stopped.
   */
  watch(onHint: () => void): () => void {
    const entry = { call: onHint };
    this.#watchers.add(entry);
    this.#begin();
    const timer = setInterval(onHint, hintMs).unref();
    const end = (): void => {
      this.#watchers.delete(entry);
      clearInterval(timer);
    };
    this.#stopped.signal.addEventListener('abort', end, { once: true });
    return end;
  }

  #begin(): void {
    if (!this.#isBegun) void this.#keepListening();
    this.#isBegun = true;
  }

  /** Waits until revocations are first received, if it was started, but not for long. */
  async established(): Promise<void> {
    if (this.#publish) await Promise.race([this.#established.promise, pause(answerMs, this.#stopped.signal)]);
  }

  stop(): void {
    this.#stopped.abort();
  }

  /** Reports what was taken for this process's own: it does not know what it committed on a connection that was lost. */
  reportOf(origin: string): void {
    for (const told of this.#heard.of(origin)) this.#publish?.([toRevocation(told)]);
  }

  async #keepListening(): Promise<void> {
    while (!this.#stopped.signal.aborted && this.#state !== 'behind-pooler') {
      // Whatever went wrong, the only remedy is to try again.
      await this.#listen().catch(() => undefined);
      await pause(pauseMs, this.#stopped.signal);
    }
  }

  /** Listens until the connection is lost, or not at all behind a pooler, where nothing may be left behind. */
  async #listen(): Promise<void> {
    const { hosts, pooled } = this.#options;
    const host = await hosts.locate();
    const client = new pg.Client({
      ...host.config,
      query_timeout: answerMs,
      keepAlive: true,
    });
    const lost = new AbortController();
    client.on('error', () => undefined);
    client.on('end', () => lost.abort());
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === 'auth_revoked') this.#hear(parseNotification(payload));
      else for (const { call } of this.#watchers) call();
    });
    try {
      await client.connect();
      if (pooled === 'auto' && (await isPooled(client))) {
        this.#state = 'behind-pooler';
        return await this.#poll();
      }
      await client.query('LISTEN auth_revoked; LISTEN live_changed');
      this.#state = 'listening';
      await this.#catchUp();
      this.#established.resolve();
      const over = AbortSignal.any([this.#stopped.signal, lost.signal]);
      for (;;) {
        await pause(heartbeatMs, over);
        // Another server may take writes by now, while this one is still there.
        if (over.aborted || host !== hosts.latest) return;
        await client.query('SELECT 1');
      }
    } finally {
      hosts.lose(host);
      void closeClient(client);
      if (this.#state === 'listening') this.#state = 'connecting';
      // Not only with the next turn.
      void this.#catchUp().catch(() => undefined);
    }
  }

  async #keepPolling(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      if (this.#state === 'behind-pooler') await this.#poll().catch(() => undefined);
      await pause(pollMs, this.#stopped.signal);
      if (this.#state === 'connecting') await this.#poll().catch(() => undefined);
    }
  }

  /** Reads what the missing connection would have told. */
  async #poll(): Promise<void> {
    await this.#catchUp();
    this.#established.resolve();
    if (this.#isWarned || this.#stopped.signal.aborted) return;
    this.#isWarned = true;
    this.#options.warn(this.#state === 'behind-pooler' ? pollsBehindPooler : pollsMeanwhile);
  }

  /** Reads what was not heard of. */
  async #catchUp(): Promise<void> {
    const { read } = this.#options;
    if (this.#stopped.signal.aborted) return;
    if (!this.#heard.isStarted) this.#heard.start(Number((await read(selectSettled, []))[0]?.['settled']));
    let after = this.#heard.settled;
    for (;;) {
      const rows = await read(selectLater, [after]);
      for (const row of rows) this.#hear(toTold(row));
      if (rows.length < pageSize) return;
      after = Number(rows.at(-1)?.['seq']);
    }
  }

  async #keepPruning(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      await pause(pruneMs, this.#stopped.signal);
      if (!this.#stopped.signal.aborted) await this.#options.read(deleteOld, []).catch(() => undefined);
    }
  }

  #hear(told: ToldRevocation): void {
    if (this.#heard.add(told) && !this.#options.isOwn(told.origin)) this.#publish?.([toRevocation(told)]);
  }
}

const pollsBehindPooler =
  'Revocations of other processes are read once a second: url leads to a pooler, and no listenUrl is given.';

const pollsMeanwhile =
  'Revocations of other processes are read once a second while no connection can listen for them: it is lost, or refused.';

/** Says whether another process of the server answers than the client was told when it connected. */
async function isPooled(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ readonly process_id: number }>('SELECT pg_backend_pid() AS process_id');
  return rows[0]?.process_id !== (client as pg.Client & { readonly processID: number }).processID;
}

/** Waits this long, or until aborted. Does not keep the process alive. */
function pause(milliseconds: number, over: AbortSignal): Promise<void> {
  return setTimeout(milliseconds, undefined, { ref: false, signal: over }).catch(() => undefined);
}

/** The payload is the number, the origin, the session's id, and the lowest `ver` that is still valid, if any. */
function parseNotification(payload: string): ToldRevocation {
  const [seq, origin = '', sessionId = '', ver = ''] = payload.split(' ');
  return { seq: Number(seq), origin, sessionId, lowestVer: ver === '' ? null : Number(ver) };
}

function toTold({ seq, origin, session_id, lowest_ver }: SqlRow): ToldRevocation {
  const lowestVer = lowest_ver === null ? null : Number(lowest_ver);
  return { seq: Number(seq), origin: String(origin), sessionId: String(session_id), lowestVer };
}

function toRevocation({ sessionId, lowestVer }: ToldRevocation): Revocation {
  return { sessionId: sessionId as SessionId, lowestVer };
}
