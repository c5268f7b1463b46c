/** A request that the page has sent, for the developer drawer. */
export interface RecordedRequest {
  readonly id: number;
  readonly method: string;
  readonly path: string;
  readonly sent: string | null;
  readonly status: number | null;
  readonly received: string;
  /** When it was sent, in milliseconds since the page was opened. */
  readonly begun: number;
  readonly milliseconds: number;
  /** The path of the screen that was open then. */
  readonly screen: string;
}

const most = 50;
let recorded: readonly RecordedRequest[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

/** Returns the last requests, the newest first. */
export function getRecordedRequests(): readonly RecordedRequest[] {
  return recorded;
}

/** Calls the listener after each request; returns what ends that. */
export function onRecordedRequest(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Makes a `fetch` that remembers what was asked and answered, as text: passwords are left out. */
export function recordRequests(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const begun = performance.now();
    const screen = location.pathname;
    const remember = (status: number | null, received: string): void => {
      const { pathname, search } = new URL(input instanceof Request ? input.url : input, location.href);
      const request = {
        id: nextId++,
        method: init?.method ?? 'GET',
        path: pathname + search,
        sent: typeof init?.body === 'string' ? withoutSecrets(init.body) : null,
        status,
        received,
        begun,
        milliseconds: Math.round(performance.now() - begun),
        screen,
      };
      recorded = [request, ...recorded].slice(0, most);
      for (const listener of listeners) listener();
    };
    try {
      const response = await fetch(input, init);
      const copy = response.clone();
      // The caller may abort the response while it arrives.
      copy.text().then(
        (text) => remember(response.status, withoutSecrets(text)),
        (reason: unknown) => remember(response.status, String(reason)),
      );
      return response;
    } catch (error) {
      remember(null, String(error));
      throw error;
    }
  };
}

/** The members whose values are never shown. */
const secret = /("(?:password|currentPassword|newPassword|secret|token|code)":)"(?:[^"\\]|\\.)*"/g;

function withoutSecrets(json: string): string {
  return json.replace(secret, '$1"…"');
}
