import type { Server } from '@x/server';
import { onTestFinished } from 'vitest';
import type { TestClient } from './test-client.ts';

/** An event of a stream, with its cursor. */
export interface LiveEvent {
  readonly event: string;
  readonly id: string;
  /** Its members; the event decides which there are. */
  readonly data: Readonly<Record<string, string>> & { readonly ids?: readonly string[] };
}

/** Reads a stream of notices as a browser does. */
export class LiveReader {
  readonly events: LiveEvent[] = [];
  /** All that was sent. */
  text = '';
  isEnded = false;
  #lastId = '';
  #streamId = '';
  readonly #leave: AbortController = new AbortController();
  #wake: (() => void) | undefined;

  /** Opens a stream for the user of a browser, and waits until it is ready. */
  static async open(
    server: Pick<Server, 'fetch'>,
    browser: TestClient,
    lastEventId?: string,
    query = '',
  ): Promise<LiveReader> {
    const reader = new LiveReader();
    const response = await openLive(server, browser, lastEventId, query);
    const type = response.headers.get('content-type');
    if (response.status !== 200 || type !== 'text/event-stream; charset=utf-8') {
      throw new TypeError(`${response.status} ${type}: ${await response.text()}`);
    }
    void reader.#read(response.body);
    onTestFinished(() => reader.leave());
    const { data } = await reader.next('ready');
    reader.#streamId = data['streamId'] ?? '';
    return reader;
  }

  get streamId(): string {
    return this.#streamId;
  }

  /** The cursor to continue with. */
  get lastId(): string {
    return this.#lastId;
  }

  /**
   * Takes changes until one is of a subscription, and fails after some seconds. A change that was committed just before
   * a subscription may come as well, and changes that follow soon share one notice.
   */
  async nextOf(subscription: string): Promise<LiveEvent['data']> {
    for (;;) {
      const { data } = await this.next('change');
      if (data['subscription'] === subscription) return data;
    }
  }

  /**
   * Takes changes until one names a record, and fails after some seconds. A change may come twice: while a subscription
   * takes effect or a stream continues, and on Postgres as long as another transaction that began before it is open.
   */
  async nextWith(id: string): Promise<LiveEvent['data']> {
    for (;;) {
      const { data } = await this.next('change');
      if (data.ids?.includes(id)) return data;
    }
  }

  /** Takes changes until one has no ids, and fails after some seconds. */
  async nextUnnamed(): Promise<LiveEvent['data']> {
    for (;;) {
      const { data } = await this.next('change');
      if (!data.ids) return data;
    }
  }

  /** Takes the next event of a kind; fails after some seconds. */
  async next(event: string): Promise<LiveEvent> {
    const deadline = performance.now() + 30_000;
    for (;;) {
      const index = this.events.findIndex((each) => each.event === event);
      const [found] = index < 0 ? [] : this.events.splice(index, 1);
      if (found) return found;
      if (this.isEnded || performance.now() > deadline) throw new TypeError(`No ${event}: ${this.text}`);
      await this.#change();
    }
  }

  /** Waits until the stream has ended. */
  async ended(): Promise<void> {
    while (!this.isEnded) await this.#change();
  }

  leave(): void {
    this.#leave.abort();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, 1000);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #read(body: ReadableStream<Uint8Array> | null): Promise<void> {
    const reader = body?.getReader();
    this.#leave.signal.addEventListener('abort', () => void reader?.cancel().catch(() => undefined));
    const decoder = new TextDecoder();
    let unread = '';
    try {
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
        const text = decoder.decode(part.value, { stream: true });
        this.text += text;
        const messages = (unread + text).split('\n\n');
        unread = messages.pop() ?? '';
        for (const message of messages) this.#take(message);
        this.#wake?.();
      }
    } catch {
      // It was cut off.
    }
    this.isEnded = true;
    this.#wake?.();
  }

  #take(message: string): void {
    const fields = new Map(
      message.split('\n').flatMap((line) => {
        const [, name = '', value = ''] = /^(\w+): (.*)$/.exec(line) ?? [];
        return name === '' ? [] : [[name, value] as const];
      }),
    );
    this.#lastId = fields.get('id') ?? this.#lastId;
    const data = fields.get('data');
    if (data === undefined) return;
    this.events.push({
      event: fields.get('event') ?? 'message',
      id: this.#lastId,
      data: JSON.parse(data) as LiveEvent['data'],
    });
  }
}

/** Asks for a stream. */
export function openLive(
  server: Pick<Server, 'fetch'>,
  browser: TestClient,
  lastEventId?: string,
  query = '',
): Promise<Response> {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { cookie, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) };
  return server.fetch(new Request(`http://localhost:3000/api/live${query}`, { headers }));
}
