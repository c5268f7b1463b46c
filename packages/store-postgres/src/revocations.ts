import { setTimeout } from 'node:timers/promises';
import type { Revocation, SessionId } from '@x/store';
import type { SqlExecutor, SqlRow } from '@x/store-sql';
import type pg from 'pg';
import { closeClient, createClient, toReader } from './client.ts';
import type { DatabaseHosts } from './hosts.ts';
import { refusesSettings } from './pooler.ts';
import { selectStatementLimit } from './settings.ts';

/** Receives revocations. */
type Publish = (revocations: readonly Revocation[]) => void;

/** The dependencies of a subscription. */
interface SubscriptionOptions {
  /** The hosts on which it listens. */
  readonly hosts: DatabaseHosts;
  /** Whether a connection leads to the database that {@link sql} reads. */
  readonly isSameDatabase: (client: pg.Client) => Promise<boolean>;
  /** Whether the hosts lead to a pooler, which passes no notifications on; `auto`: it is detected. */
  readonly pooled: boolean | 'auto';
  readonly sql: SqlExecutor;
  /** Receives a line for the log. */
  readonly warn: (message: string) => void;
}

/** How often the connection that listens reads revocations, so that none is over 2 s late, with its time limit. */
const heartbeatMs = 500;

/** How long the server may take to answer, and a start may wait for it to listen. */
const answerMs = 1000;

/** How long to wait before a lost connection is replaced. */
const pauseMs = 250;

/** How often revocations are read while none listens. */
const pollMs = 1000;

/** How often the feed of changes is read at least, in milliseconds. A read without a result costs next to nothing. */
const hintMs = 250;

/** How often entries that every process has read are deleted. */
const pruneMs = 60_000;

/** How many entries are read, or deleted, at a time. */
const pageSize = 1000;

const selectCursor = `SELECT COALESCE((SELECT seq FROM auth_revocations
  WHERE at < clock_timestamp() - interval '10 s' ORDER BY seq DESC LIMIT 1), 0) AS cursor`;

const selectLater = `SELECT seq, session_id, lowest_ver FROM auth_revocations
  WHERE seq > $1 ORDER BY seq LIMIT ${pageSize}`;

/** The JWTs that a process knew before it was cut off for longer have expired. */
const deleteOld = `DELETE FROM auth_revocations WHERE seq IN (SELECT seq FROM auth_revocations
  WHERE at < clock_timestamp() - interval '1 h' ORDER BY seq LIMIT ${pageSize} FOR UPDATE SKIP LOCKED)`;

/**
 * Receives every revocation that a process on the database commits. They are an outbox: a table that numbers its
 * entries, which each process polls from its cursor on. A connection that listens is notified of an entry at once. A
 * lost notification does no harm, as the table has its entry.
 */
export class RevocationSubscription {
  readonly #options: SubscriptionOptions;
  readonly #stopped = new AbortController();
  readonly #established = Promise.withResolvers<void>();
  readonly #seen = new SeenRevocations();
  #onHint: (() => void) | undefined;
  #publish: Publish | undefined;
  #isReading = false;
  #isPooled: boolean;
  #isWarned = false;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
    this.#isPooled = options.pooled === true;
  }

  /** Publishes revocations until the subscription is stopped. */
  start(publish: Publish): void {
    this.#publish = publish;
    void this.#keepReading();
    void this.#keepPruning();
  }

  /**
   * Calls back when a process notifies that it appended to the feed of changes, and every {@link hintMs} without a
   * notification, until the result is called or the subscription is stopped.
   */
  watch(onHint: () => void): () => void {
    this.#onHint = onHint;
    void this.#keepReading();
    const timer = setInterval(onHint, hintMs).unref();
    const end = (): void => {
      this.#onHint = undefined;
      clearInterval(timer);
    };
    this.#stopped.signal.addEventListener('abort', end, { once: true });
    return end;
  }

  /** Waits until revocations are first received, if it was started, but not for long. */
  async established(): Promise<void> {
    if (this.#publish) await Promise.race([this.#established.promise, pause(answerMs, this.#stopped.signal)]);
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #keepReading(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    const over = this.#stopped.signal;
    let hasPolled = false;
    while (!over.aborted) {
      // The only remedy for a failure is to try again.
      const hasListened = await this.#listen().catch(() => false);
      hasPolled = !hasListened && (await this.#poll(hasPolled).catch(() => hasPolled));
      await pause(hasListened ? pauseMs : pollMs, over);
    }
  }

  /** Reads once without listening. The first attempt to listen may have failed because there was no schema yet. */
  async #poll(isRepeated: boolean): Promise<true> {
    await this.#catchUp(this.#options.sql);
    if (this.#isPooled || isRepeated) this.#warn(this.#isPooled ? pollsBehindPooler : pollsMeanwhile);
    return true;
  }

  /** Listens until the connection is lost; false if there was none, or it leads to a pooler. */
  async #listen(): Promise<boolean> {
    if (this.#isPooled) return false;
    const { hosts, isSameDatabase, pooled } = this.#options;
    const host = await hosts.locate();
    const isDetecting = pooled === 'auto';
    const limit = isDetecting && { statement_timeout: answerMs };
    const client = createClient({ ...host, ...limit, query_timeout: answerMs });
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === 'auth_revoked') this.#receive(parseNotification(payload));
      else this.#onHint?.();
    });
    const lost = new AbortController();
    client.on('end', () => lost.abort());
    const here = toReader(client);
    let isListening = false;
    try {
      await client.connect();
      this.#isPooled = isDetecting && (await lacksLimit(client));
      if (this.#isPooled) return false;
      if (!(await isSameDatabase(client))) {
        this.#warn(listensElsewhere);
        return false;
      }
      await client.query('LISTEN auth_revoked; LISTEN live_changed');
      await this.#catchUp(here);
      isListening = true;
      const over = AbortSignal.any([this.#stopped.signal, lost.signal]);
      // Another server may take writes by now, while this one is still there.
      while (!over.aborted && host === (await hosts.locate())) {
        await pause(heartbeatMs, over);
        await this.#catchUp(here);
      }
    } catch (error) {
      // Else the connection is lost.
      this.#isPooled = isDetecting && refusesSettings(error);
    } finally {
      hosts.lose(host);
      void closeClient(client);
    }
    return isListening;
  }

  /** Reads the entries after the cursor, some of which may have been committed meanwhile. */
  async #catchUp(sql: Pick<SqlExecutor, 'read'>): Promise<void> {
    if (this.#stopped.signal.aborted) return;
    let after = (this.#seen.cursor ??= Number((await sql.read(selectCursor, []))[0]?.['cursor']));
    for (;;) {
      const rows = await sql.read(selectLater, [after]);
      for (const row of rows) this.#receive(toEntry(row));
      if (rows.length < pageSize) break;
      after = Number(rows.at(-1)?.['seq']);
    }
    this.#established.resolve();
  }

  async #keepPruning(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      await pause(pruneMs, this.#stopped.signal);
      if (!this.#stopped.signal.aborted) await this.#options.sql.write(deleteOld, []).catch(() => undefined);
    }
  }

  /** Returns the revocations of this process that were not published yet; the subscription skips them from now on. */
  claim(revocations: readonly Revocation[]): readonly Revocation[] {
    return revocations.filter((revocation) => this.#seen.add({ seq: 0, ...revocation }));
  }

  #receive(entry: OutboxEntry): void {
    if (this.#seen.add(entry)) this.#publish?.([{ sessionId: entry.sessionId, lowestVer: entry.lowestVer }]);
  }

  #warn(message: string): void {
    if (this.#isWarned || this.#stopped.signal.aborted) return;
    this.#isWarned = true;
    this.#options.warn(message);
  }
}

const pollsBehindPooler =
  'Revocations of other processes are read once a second: the database is behind a pooler, and no listenUrl is given.';

const listensElsewhere =
  'Revocations of other processes are read once a second: listenUrl leads to another database than url.';

const pollsMeanwhile =
  'Revocations of other processes are read once a second while no connection can listen for them: it is lost, or refused.';

/** Says whether a connection lacks the limit with which it was started, because a pooler has not passed it on. */
async function lacksLimit(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ readonly limit_: string }>(selectStatementLimit);
  return rows[0]?.limit_ !== String(answerMs);
}

/** Waits this long, or until aborted. Does not keep the process alive. */
function pause(milliseconds: number, over: AbortSignal): Promise<void> {
  return setTimeout(milliseconds, undefined, { ref: false, signal: over }).catch(() => undefined);
}

/** A revocation as a row of the outbox. */
interface OutboxEntry extends Revocation {
  /** Its number. A transaction may commit a lower number after a higher one. */
  readonly seq: number;
}

/** The payload has the entry's number, the session's id, and the lowest `ver` that is still valid, if any. */
function parseNotification(payload: string): OutboxEntry {
  const [seq, sessionId = '', ver = ''] = payload.split(' ');
  return { seq: Number(seq), sessionId: sessionId as SessionId, lowestVer: ver === '' ? null : Number(ver) };
}

function toEntry({ seq, session_id, lowest_ver }: SqlRow): OutboxEntry {
  const lowestVer = lowest_ver === null ? null : Number(lowest_ver);
  return { seq: Number(seq), sessionId: String(session_id) as SessionId, lowestVer };
}

/** How long a number may be taken before it is committed, in milliseconds: longer than a transaction may last. */
const lookBackMs = 10_000;

/**
 * Deduplicates revocations, and keeps the cursor of this process in the outbox. The cursor does not wait for a
 * transaction that took a number and has not committed. It passes a number {@link lookBackMs} after that was seen.
 */
class SeenRevocations {
  /**
   * The entries after the cursor. Their keys are made of their content: a revocation of this process has no number yet,
   * and after a fail-over a number may be taken again.
   */
  readonly #seen = new Map<string, { seq: number; readonly seenAt: number }>();
  /** The number after which entries may be missing; undefined until it is known where to start reading. */
  cursor: number | undefined;

  /** Adds a revocation; returns false if it is a duplicate. */
  add({ seq, sessionId, lowestVer }: OutboxEntry): boolean {
    const now = performance.now();
    this.#advanceCursor(now - lookBackMs);
    const key = `${sessionId} ${lowestVer}`;
    const known = this.#seen.get(key);
    if (known) known.seq = Math.max(known.seq, seq);
    else this.#seen.set(key, { seq, seenAt: now });
    return known === undefined;
  }

  #advanceCursor(before: number): void {
    for (const [key, { seq, seenAt }] of this.#seen) {
      if (seenAt > before) return;
      this.#seen.delete(key);
      this.cursor = Math.max(this.cursor ?? 0, seq);
    }
  }
}
