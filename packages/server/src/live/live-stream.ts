import type { Principal } from '@x/auth';

/** The caller of a stream, and the end of its session. */
export interface StreamTerms {
  readonly id: string;
  readonly caller: Principal;
  /** When the session ends by itself. */
  readonly expiresAt: Date;
  /** The lowest `ver` of its JWTs that is still valid. */
  readonly ver: number;
  /** Whether notices have the times of changes. */
  readonly hasTimes: boolean;
  /** Returns the cursor that goes with the next event. */
  readonly cursor: () => string;
  /** Called once the client has disconnected, or was cut off. */
  readonly onClose: () => void;
}

/** How long changes are collected before the next notice of them, in milliseconds. */
const collectMs = 100;

/** How many ids a notice has at most; with more, the client reads its list anyway. */
const maxIds = 100;

/** How many bytes a client may leave unread. */
const maxBacklogBytes = 256 * 1024;

const encoder = new TextEncoder();

/**
 * The times of changed records, by id; undefined where one does not stand for all changes of its record. Null for a
 * deleted record, by the end of its id, which tells no id to a client that does not know it.
 */
type ChangedRecords = Map<string, string | null | undefined>;

/** How much of the id of a deleted record names it, from its end. */
const endOfId = -8;

function toMembers(records: ChangedRecords | null, hasTimes: boolean): object {
  if (records === null) return {};
  const times = [...records.values()];
  const isTimed = hasTimes && !times.includes(undefined);
  return {
    ...(!times.includes(null) && { ids: [...records.keys()] }),
    ...(isTimed && { updatedAt: Object.fromEntries(records) }),
  };
}

function addChange(records: ChangedRecords, id: string, updatedAt: string | null | undefined): ChangedRecords {
  if (updatedAt === null) {
    records.delete(id);
    return records.set(id.slice(endOfId), null);
  }
  // One time would stand for two changes, of which the client may have made one. The same change may come twice.
  const isOther = records.has(id) && records.get(id) !== updatedAt;
  return records.set(id, isOther ? undefined : updatedAt);
}

/** One `text/event-stream` to a browser. */
export class LiveStream {
  readonly terms: StreamTerms;
  readonly body: ReadableStream<Uint8Array>;
  /** The hash of the access set that was sent last. */
  accessHash: string | undefined;
  /** By subscription; null for a notice without ids. */
  readonly #pending = new Map<string, ChangedRecords | null>();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #flushedAt = -Infinity;

  constructor(terms: StreamTerms) {
    this.terms = terms;
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => this.#close(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: maxBacklogBytes }),
    );
  }

  get isOpen(): boolean {
    return this.#controller !== undefined;
  }

  /**
   * Notifies the client that a list changed, with the id of the record if the client may know it.
   *
   * @param updatedAt - its time of this change, if no other change of it has the same; null if it was deleted
   */
  notify(subscription: string, id: string | null, updatedAt?: string | null): void {
    const known = this.#pending.get(subscription);
    const isUnnamed = id === null || known === null || (known?.size ?? 0) >= maxIds;
    this.#pending.set(subscription, isUnnamed ? null : addChange(known ?? new Map(), id, updatedAt));
    const delay = Math.max(0, this.#flushedAt + collectMs - performance.now());
    this.#timer ??= setTimeout(() => this.#flush(), delay);
  }

  send(event: string, data: object): void {
    this.#write(`event: ${event}\nid: ${this.terms.cursor()}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Shows proxies and the client that the stream is open, and advances the client's cursor. */
  heartbeat(): void {
    this.#write(this.#pending.size > 0 ? ':\n\n' : `:\nid: ${this.terms.cursor()}\n\n`);
  }

  /** Ends the stream; the client reconnects after `retryMs`, if given. */
  end(retryMs?: number): void {
    if (retryMs !== undefined) this.#write(`retry: ${Math.round(retryMs)}\n\n`);
    const controller = this.#controller;
    this.#close();
    controller?.close();
  }

  #flush(): void {
    this.#timer = undefined;
    this.#flushedAt = performance.now();
    const pending = [...this.#pending];
    this.#pending.clear();
    for (const [subscription, records] of pending) {
      this.send('change', { subscription, ...toMembers(records, this.terms.hasTimes) });
    }
  }

  #write(text: string): void {
    const controller = this.#controller;
    if (!controller) return;
    controller.enqueue(encoder.encode(text));
    if ((controller.desiredSize ?? 0) > 0) return;
    this.#close();
    controller.error(new Error('The client does not read.'));
  }

  #close(): void {
    if (!this.#controller) return;
    this.#controller = undefined;
    clearTimeout(this.#timer);
    this.terms.onClose();
  }
}
