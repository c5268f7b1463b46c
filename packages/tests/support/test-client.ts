/** Options of a test's request. */
export interface TestRequest {
  readonly method?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, in place of {@link TestRequest.body}. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  /** Replaces the client's own headers by name; null leaves one out. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** A response, read to its end. */
export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined if it is empty or a page. */
  readonly body: ResponseBody;
}

/** The response bodies of the routes, as far as tests read them; the route decides which members exist. */
export interface ResponseBody {
  readonly user: { readonly id: string; readonly email: string; readonly emailVerified: boolean };
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly id: string;
  readonly nextCursor: string | null;
  readonly expiresAt: string;
  readonly session: { readonly id: string } | null;
  readonly sessions: readonly { readonly id: string; readonly isCurrent: boolean }[];
  readonly keys: readonly Readonly<Record<string, string>>[];
  readonly secret: string;
  readonly token: string;
  readonly uri: string;
  readonly backupCodes: readonly string[];
  readonly backupCodesRemaining: number;
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly meta?: Readonly<Record<string, unknown>>;
    readonly issues: readonly { readonly path: readonly string[]; readonly code: string }[];
  };
}

/** A browser as far as tests need one: it sends our CSRF headers and keeps cookies of any path. */
export class TestClient {
  readonly cookies: Map<string, string> = new Map();
  readonly #origin: string;
  readonly #fetch: (request: Request) => Response | Promise<Response>;

  constructor(origin: string, fetch: (request: Request) => Response | Promise<Response> = globalThis.fetch) {
    this.#origin = origin;
    this.#fetch = fetch;
  }

  get(path: string, request: TestRequest = {}): Promise<TestResponse> {
    return this.send(path, request);
  }

  post(path: string, body?: unknown, request: TestRequest = {}): Promise<TestResponse> {
    return this.send(path, { method: 'POST', ...(body !== undefined && { body }), ...request });
  }

  /** Takes over the session of another browser, as a thief of both its cookies would. */
  adoptSession(other: TestClient): void {
    for (const name of ['app.sid', 'app.ref']) this.cookies.set(name, other.cookies.get(name) ?? '');
  }

  async send(path: string, { method = 'GET', body, raw, headers = {} }: TestRequest): Promise<TestResponse> {
    const sent = raw ?? (body === undefined ? null : JSON.stringify(body));
    const init = { method, headers: this.#headers(headers, sent), body: sent };
    const response = await this.#fetch(new Request(this.#origin + path, init));
    this.#keepCookies(response.headers);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parse(text, response.headers) };
  }

  #headers(
    replacements: NonNullable<TestRequest['headers']>,
    body: string | Uint8Array | null,
  ): Record<string, string> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const all: Record<string, string | null> = {
      origin: this.#origin,
      'x-app-request': '1',
      cookie: cookie === '' ? null : cookie,
      'content-type': body === null ? null : 'application/json',
      'content-length': body === null ? null : String(Buffer.byteLength(body)),
      ...replacements,
    };
    return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
  }

  #keepCookies(headers: Headers): void {
    for (const cookie of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (/max-age=0/i.test(cookie)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}

/** A page is read as text. */
function parse(text: string, headers: Headers): ResponseBody {
  const isJson = headers.get('content-type')?.startsWith('application/json');
  return (text !== '' && isJson ? JSON.parse(text) : undefined) as ResponseBody;
}
