/** The faults of a request. */
export type Fault =
  | 'none'
  | 'refused429'
  | 'refused503'
  | 'proxy502'
  | 'lostBefore'
  | 'lostAfter'
  | 'hangs'
  // Answers of gateways with a status of success.
  | 'gateway204'
  | 'gatewayEmpty'
  | 'gatewayNull'
  | 'gatewayObject'
  | 'gatewayList';

/** One request as the server saw it. */
export interface SeenRequest {
  readonly path: string;
  readonly id: string | undefined;
  readonly userId: string | undefined;
  readonly outcome: 'done' | 'unauthenticated' | 'fault';
}

/** How a site behaves; a test may change it at any time. */
export interface SiteSettings {
  /** Milliseconds, a multiple of 1000: a JWT's expiry is a whole second. */
  ttl: number;
  /** Milliseconds from the browser to the server, and the same back. */
  latency: () => number;
  fault: (path: string) => Fault;
  /** How far the clocks of the browser's machine are ahead of the server's. */
  skew: number;
  /** Whether users have a second factor; null where the site offers none. */
  secondFactor: boolean | null;
}

/** The password of all users. */
export const goodPassword = 'correct horse battery';
export const goodCode = '123456';

/** A server and one browser, with sessions by the rules of the contract, on vitest's fake clock. */
export class FakeSite {
  readonly settings: SiteSettings = {
    ttl: 60_000,
    latency: () => 10,
    fault: () => 'none',
    skew: 0,
    secondFactor: true,
  };
  readonly seen: SeenRequest[] = [];
  /** Refreshes in progress, and their maximum so far. */
  refreshing = 0;
  mostRefreshing = 0;
  readonly #sessions: Map<string, FakeSession> = new Map();
  #jar: FakeCookies = {};

  /** Gives the browser a session, as the redirect of an identity provider does. */
  signInBehindTheScenes(userId: string): void {
    this.#jar = this.#startSession(userId);
  }

  /** Ends all sessions, as another device would. */
  revokeAll(): void {
    this.#sessions.clear();
  }

  /** Invalidates the current JWTs, as a change of role does; the sessions stay. */
  outdateJwts(): void {
    for (const session of this.#sessions.values()) session.lowestVer += 1;
  }

  /** Takes the refresh token from the browser; the JWT stays, as if that alone had been stolen. */
  loseRefreshToken(): void {
    this.#jar = { ...this.#jar, generation: undefined };
  }

  isSignedIn(): boolean {
    return this.#jar.sessionId !== undefined && this.#sessions.has(this.#jar.sessionId);
  }

  count(path: string, outcome?: SeenRequest['outcome']): number {
    return this.seen.filter((request) => request.path === path && (!outcome || request.outcome === outcome)).length;
  }

  readonly fetch = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const { pathname: path, searchParams } = new URL(url instanceof Request ? url.url : url);
    const sent: FakeRequest = { path, id: searchParams.get('id') ?? undefined, init, cookies: this.#jar };
    const isRefresh = path === '/api/auth/refresh';
    if (isRefresh) this.mostRefreshing = Math.max(this.mostRefreshing, ++this.refreshing);
    try {
      return await this.#travel(sent);
    } finally {
      if (isRefresh) this.refreshing -= 1;
    }
  };

  async #travel(sent: FakeRequest): Promise<Response> {
    const signal = sent.init.signal ?? undefined;
    signal?.throwIfAborted();
    const fault = this.settings.fault(sent.path);
    await pause(this.settings.latency(), signal);
    if (fault === 'lostBefore') throw new TypeError('network');
    if (fault === 'hangs') await pause(2 ** 30, signal);
    const { status, body, cookies, headers } = fault in refusals ? this.#refuse(sent, fault) : this.#answer(sent);
    await pause(this.settings.latency(), signal);
    if (fault === 'lostAfter') throw new TypeError('network');
    if (cookies) this.#jar = cookies;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return new Response(text || null, { status, headers: { Date: new Date(this.#now()).toUTCString(), ...headers } });
  }

  #refuse(sent: FakeRequest, fault: Fault): FakeAnswer {
    this.#note(sent, 'fault');
    return refusals[fault] ?? { status: 500, body: '' };
  }

  #answer(sent: FakeRequest): FakeAnswer {
    switch (sent.path) {
      case '/api/auth/session':
        return this.#look(sent);
      case '/api/auth/refresh':
        return this.#refresh(sent);
      case '/api/auth/signin': {
        this.#note(sent, 'done');
        const { email } = JSON.parse(sent.init.body as string) as { readonly email: string };
        const cookies = this.#startSession(email);
        return { status: 200, body: this.#sessionOf(cookies), cookies };
      }
      case '/api/auth/switch-tenant': {
        const session = this.#sessionOf(sent.cookies);
        this.#note(sent, session ? 'done' : 'unauthenticated');
        if (!session) return failure(401, 'UNAUTHENTICATED');
        const { user, expiresAt } = session;
        return { status: 200, body: { user: { ...user, tenant: 'other' }, expiresAt }, cookies: sent.cookies };
      }
      case '/api/auth/signout':
        this.#note(sent, 'done');
        this.#sessions.delete(sent.cookies.sessionId ?? '');
        return { status: 200, body: { ok: true }, cookies: {} };
      case '/api/auth/confirm':
        return this.#confirm(sent);
      case '/api/auth/mfa/status':
        return this.#tellFactor(sent);
      case '/api/auth/mfa/step-up':
        return this.#stepUp(sent);
      case '/api/auth/mfa/setup':
        return this.#requireProof(sent, 'provenAt', { maxAge: 300, methods: ['password', 'provider'] });
      case '/api/vault/query':
        return this.#requireProof(sent, 'steppedUpAt', { maxAge: 300 });
      default: {
        const session = this.#sessionOf(sent.cookies);
        this.#note(sent, session ? 'done' : 'unauthenticated');
        return session ? { status: 200, body: { for: session.user.id } } : failure(401, 'UNAUTHENTICATED');
      }
    }
  }

  /** Says of no session whether the request has a refresh token, however good. */
  #look(sent: FakeRequest): FakeAnswer {
    this.#note(sent, 'done');
    const session = this.#sessionOf(sent.cookies) ?? null;
    const canRefresh = !session && sent.cookies.generation !== undefined;
    return { status: 200, body: { session }, ...(canRefresh && { headers: { 'X-APP-Refresh': 'possible' } }) };
  }

  /** Lets the session do something if the proof that it needs is recent. */
  #requireProof(sent: FakeRequest, proof: 'provenAt' | 'steppedUpAt', meta: object): FakeAnswer {
    const session = this.#refreshable(sent);
    if (!session) return failure(401, 'SESSION_EXPIRED');
    if (this.#now() - session[proof] > 300_000) return failure(403, 'STEP_UP_REQUIRED', meta);
    return { status: 200, body: { for: session.userId, items: [] } };
  }

  #confirm(sent: FakeRequest): FakeAnswer {
    const session = this.#refreshable(sent);
    if (!session) return failure(401, 'SESSION_EXPIRED');
    if (toInput(sent)['password'] !== goodPassword) return failure(401, 'INVALID_CREDENTIALS');
    session.provenAt = this.#now();
    return { status: 200, body: { ok: true, confirmedUntil: new Date(session.provenAt + 300_000).toISOString() } };
  }

  #tellFactor(sent: FakeRequest): FakeAnswer {
    this.#note(sent, 'done');
    const { secondFactor: enabled } = this.settings;
    if (enabled === null) return failure(404, 'NOT_FOUND');
    return { status: 200, body: { enabled, backupCodesRemaining: enabled ? 10 : 0 } };
  }

  #stepUp(sent: FakeRequest): FakeAnswer {
    const session = this.#refreshable(sent);
    if (!session) return failure(401, 'SESSION_EXPIRED');
    if (toInput(sent)['code'] !== goodCode) return failure(400, 'MFA_INVALID_CODE');
    session.provenAt = session.steppedUpAt = this.#now();
    const cookies = { ...sent.cookies, jwtExpiresAt: this.#newExpiry() };
    return { status: 200, body: this.#sessionOf(cookies), cookies };
  }

  /** Finds the session of a request that brings its refresh token beside a JWT. */
  #refreshable(sent: FakeRequest): FakeSession | undefined {
    const has = this.#sessionOf(sent.cookies) && sent.cookies.generation !== undefined;
    this.#note(sent, has ? 'done' : 'unauthenticated');
    return has ? this.#sessions.get(sent.cookies.sessionId ?? '') : undefined;
  }

  #refresh(sent: FakeRequest): FakeAnswer {
    const { sessionId = '', generation } = sent.cookies;
    const session = generation === undefined ? undefined : this.#sessions.get(sessionId);
    this.#note(sent, session ? 'done' : 'unauthenticated');
    if (!session || generation === undefined) return { ...failure(401, 'SESSION_EXPIRED'), cookies: {} };
    const inGrace = generation === session.generation - 1 && this.#now() - session.rotatedAt <= 10_000;
    if (generation !== session.generation && !inGrace) {
      this.#sessions.delete(sessionId);
      return { ...failure(401, 'SESSION_EXPIRED'), cookies: {} };
    }
    if (!inGrace) Object.assign(session, { generation: generation + 1, rotatedAt: this.#now() });
    const { generation: current, lowestVer: ver } = session;
    const cookies = { sessionId, generation: current, jwtExpiresAt: this.#newExpiry(), ver };
    return { status: 200, body: this.#sessionOf(cookies), cookies };
  }

  #startSession(userId: string): FakeCookies {
    const sessionId = crypto.randomUUID();
    const now = this.#now();
    this.#sessions.set(sessionId, {
      userId,
      generation: 1,
      rotatedAt: now,
      provenAt: now,
      steppedUpAt: 0,
      lowestVer: 0,
    });
    return { sessionId, generation: 1, jwtExpiresAt: this.#newExpiry(), ver: 0 };
  }

  #sessionOf({
    sessionId = '',
    jwtExpiresAt = 0,
    ver = 0,
  }: FakeCookies): { user: { id: string }; expiresAt: string } | undefined {
    const session = this.#sessions.get(sessionId);
    if (!session || jwtExpiresAt <= this.#now() || ver < session.lowestVer) return undefined;
    return { user: { id: session.userId }, expiresAt: new Date(jwtExpiresAt).toISOString() };
  }

  #newExpiry(): number {
    return Math.floor(this.#now() / 1000) * 1000 + this.settings.ttl;
  }

  #note({ path, id, cookies }: FakeRequest, outcome: SeenRequest['outcome']): void {
    this.seen.push({ path, id, outcome, userId: this.#sessions.get(cookies.sessionId ?? '')?.userId });
  }

  #now(): number {
    return Date.now() - this.settings.skew;
  }
}

interface FakeSession {
  readonly userId: string;
  generation: number;
  rotatedAt: number;
  /** When the user last proved who they are, and when with a second factor. */
  provenAt: number;
  steppedUpAt: number;
  lowestVer: number;
}

interface FakeCookies {
  readonly sessionId?: string;
  readonly generation?: number | undefined;
  readonly jwtExpiresAt?: number;
  readonly ver?: number;
}

interface FakeRequest {
  readonly path: string;
  readonly id: string | undefined;
  readonly init: RequestInit;
  /** The cookies at the time of the request. */
  readonly cookies: FakeCookies;
}

interface FakeAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly cookies?: FakeCookies;
  readonly headers?: Record<string, string>;
}

const refusals: Partial<Record<Fault, FakeAnswer>> = {
  refused429: { ...failure(429, 'RATE_LIMITED'), headers: { 'Retry-After': '7' } },
  refused503: { ...failure(503, 'SERVICE_UNAVAILABLE'), headers: { 'Retry-After': '1' } },
  proxy502: { status: 502, body: '<h1>Bad gateway</h1>' },
  gateway204: { status: 204, body: '' },
  gatewayEmpty: { status: 200, body: '' },
  gatewayNull: { status: 200, body: 'null' },
  gatewayObject: { status: 200, body: {} },
  gatewayList: { status: 200, body: [] },
};

function failure(status: number, code: string, meta?: object): FakeAnswer {
  return { status, body: { error: { code, message: 'No.', meta } } };
}

function toInput(sent: FakeRequest): Readonly<Record<string, string>> {
  return JSON.parse(sent.init.body as string) as Record<string, string>;
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}
