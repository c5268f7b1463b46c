import type { Server } from '@x/server';

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Sends requests to a server in process, and signs people up there. */
export class Client {
  readonly #server: Pick<Server, 'fetch'>;

  constructor(server: Pick<Server, 'fetch'>) {
    this.#server = server;
  }

  signUp(email: string, fields: object = {}): Promise<SignedIn> {
    return this.#enter('/api/auth/signup', { email, password: 'correct horse battery', ...fields });
  }

  signIn(email: string, password: string): Promise<SignedIn> {
    return this.#enter('/api/auth/signin', { email, password });
  }

  async #enter(path: string, credentials: object): Promise<SignedIn> {
    const { headers, body } = await this.send('POST', path, '', credentials);
    const cookie = headers
      .getSetCookie()
      .filter((line) => !line.includes('Max-Age=0'))
      .map((line) => line.slice(0, line.indexOf(';')))
      .join('; ');
    return new SignedIn(this, cookie, (body as { readonly user: { readonly id: string } }).user.id);
  }

  async send(
    method: string,
    path: string,
    cookie: string,
    body?: unknown,
  ): Promise<Answer & { readonly headers: Headers }> {
    const response = await this.#server.fetch(
      new Request(`http://localhost:3000${path}`, {
        method,
        headers: { cookie, 'x-app-request': '1', origin: 'http://localhost:3000', 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
  }
}

/** A signed-in user. */
export class SignedIn {
  readonly id: string;
  readonly #client: Client;
  readonly #cookie: string;

  constructor(client: Client, cookie: string, id: string) {
    this.#client = client;
    this.#cookie = cookie;
    this.id = id;
  }

  get(path: string): Promise<Answer> {
    return this.#client.send('GET', path, this.#cookie);
  }

  post(path: string, body: unknown): Promise<Answer> {
    return this.#client.send('POST', path, this.#cookie, body);
  }

  delete(path: string): Promise<Answer> {
    return this.#client.send('DELETE', path, this.#cookie, {});
  }

  /** Creates a record, and returns it. */
  async create(path: string, body: unknown): Promise<{ readonly id: string }> {
    const answer = await this.post(path, body);
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as { readonly id: string };
  }
}
