/** The parts of a request beside its path. */
export interface BrowserRequest {
  readonly method?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Replaces the browser's own headers by name; null leaves one out. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** An answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: AnswerBody;
}

/**
 * The bodies of the demo's answers, as far as these tests look into them; which members are there depends on the route.
 */
interface AnswerBody {
  readonly id: string;
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly user: { readonly id: string; readonly email: string; readonly role: string };
  readonly messages: readonly {
    readonly kind: string;
    readonly to: string;
    readonly token: string;
    readonly url: string;
  }[];
  readonly expiresAt: string;
  readonly session: { readonly id: string; readonly user: { readonly id: string; readonly email: string } } | null;
  readonly sessions: readonly {
    readonly id: string;
    readonly deviceName: string;
    readonly isCurrent: boolean;
    readonly expiresAt: string;
  }[];
  readonly revoked: number;
  readonly secret: string;
  readonly uri: string;
  readonly backupCodes: readonly string[];
  readonly keys: readonly Readonly<Record<string, string>>[];
  readonly now: string;
  readonly status: string;
  readonly error: { readonly code: string; readonly message: string };
}

/** How long a demo may take to answer. A later answer never comes. */
const limitMs = 60_000;

/** A browser as far as these tests need one: it keeps its connections and its cookies. */
export class Browser {
  readonly cookies: Map<string, string> = new Map();
  readonly url: string;
  readonly #origin: string;

  /** @param origin - what pages call their origin, where it is not the address of the server */
  constructor(url: string, origin: string = url) {
    this.url = url;
    this.#origin = origin;
  }

  /** Makes a browser with the same cookies that asks another process. */
  at(url: string): Browser {
    const browser = new Browser(url);
    for (const [name, value] of this.cookies) browser.cookies.set(name, value);
    return browser;
  }

  get(path: string): Promise<Answer> {
    return this.send(path, {});
  }

  post(path: string, body?: unknown): Promise<Answer> {
    return this.send(path, { method: 'POST', body });
  }

  delete(path: string, headers: BrowserRequest['headers'] = {}): Promise<Answer> {
    return this.send(path, { method: 'DELETE', headers });
  }

  async send(path: string, { method = 'GET', body, headers = {} }: BrowserRequest): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(this.url + path, {
      method,
      headers: this.#headers(headers, body !== undefined),
      body: text ?? null,
      redirect: 'manual',
      signal: AbortSignal.timeout(limitMs),
    });
    this.#keepCookies(response.headers);
    const answer = await response.text();
    return { status: response.status, headers: response.headers, text: answer, body: parse(answer, response.headers) };
  }

  #headers(replacements: NonNullable<BrowserRequest['headers']>, hasBody: boolean): Headers {
    const own = {
      origin: this.#origin,
      'x-app-request': '1',
      cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ') || null,
      'content-type': hasBody ? 'application/json' : null,
    };
    const sent = new Headers();
    for (const [name, value] of Object.entries({ ...own, ...replacements })) if (value !== null) sent.set(name, value);
    return sent;
  }

  #keepCookies(headers: Headers): void {
    for (const cookie of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (/max-age=0/i.test(cookie)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}

/** Pages and files are read as text. */
function parse(text: string, headers: Headers): AnswerBody {
  const isJson = headers.get('content-type')?.startsWith('application/json');
  return (isJson && text !== '' ? JSON.parse(text) : undefined) as AnswerBody;
}
